import SectionCaching
import CheckSupport
import Testing

struct RacingAdvanceTests {
    @Test(arguments: [true, false])
    func `if programs advance one entry at the same time, one succeeds, and the entry is intact`(
        isSameHistory: Bool
    ) async throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let plain = PlainIndex.distinct(rows: 900, sections: 8, spacing: 1, using: &generator)
        let first = directory.store()
        first.save(plain.build(rowsPerChunk: 30), for: Sample().request)
        #expect(first.waitForWrites())
        let histories = await withTaskGroup(of: [Int: PlainIndex].self) { group in
            for program in 0..<3 {
                group.addTask {
                    Self.advance(
                        plain, in: directory.store(), seed: isSameHistory ? seed : seed &+ UInt64(program),
                        firstStep: isSameHistory ? 1 : 1 + program * 100)
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        let store = directory.store()
        var found = 0
        for (step, plain) in histories {
            guard let index = store.hit(.step(step)) else { continue }
            expectSame(index, plain, using: &generator)
            found += 1
        }
        #expect(found == 1)
        let entries = try store.entries(ofCache: "artworks")
        #expect(entries.count == 1)
        #expect(entries.allSatisfy { $0.isIntact })
    }

    /// Advances an entry step by step as far as possible, and returns the index of each step.
    private static func advance(
        _ plain: PlainIndex, in store: SectionCacheStore, seed: UInt64, firstStep: Int
    ) -> [Int: PlainIndex] {
        var generator = SeededGenerator(seed: seed)
        var model = EditedPlainIndex(plain)
        guard case .hit(let index) = store.lookUp(Sample().request) else { return [:] }
        let editor = SectionIndexEditor(index)
        var history: [Int: PlainIndex] = [:]
        for step in firstStep..<firstStep + 40 {
            // Another program may have replaced rows that were never read.
            guard editor.apply(model.change(3, using: &generator)) else { break }
            history[step] = model.plain
            store.save(editor.index, for: Sample.step(step).request)
            // Every third step does not wait, so that a later save can replace its save.
            if step % 3 != 0 { store.waitForWrites() }
        }
        store.waitForWrites()
        return history
    }
}
