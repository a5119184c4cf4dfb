import SectionCaching
import CheckSupport
import Testing

/// Edits of an entry before its first use, which are applied chunk by chunk when rows are read.
struct LateEditingTests {
    @Test(arguments: [1, 3, 16, 300])
    func `an index of late edits equals the arrays whenever it is read, and is saved correctly`(
        rowsPerChunk: Int
    ) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for (number, spacing) in ([1, 1, 1_000_003, -7] as [Int64]).enumerated() {
            let directory = try CacheFixture()
            let store = directory.store()
            let plain = PlainIndex.distinct(rows: 700, sections: 12, spacing: spacing, using: &generator)
            store.save(plain.build(rowsPerChunk: rowsPerChunk), for: Sample().request)
            #expect(store.waitForWrites())
            var model = EditedPlainIndex(plain)
            let editor = SectionIndexEditor(
                try #require(store.hit(Sample())), rowsPerChunk: rowsPerChunk, keepsPreviousRows: false)
            for step in 1...8 {
                let size = [1, 2, 10, 80].randomElement(using: &generator) ?? 1
                try #require(editor.apply(model.change(size, using: &generator)), "seed \(seed)")
                // Otherwise several edits are pending at once.
                if number == 0 || step == 5 { expectSame(editor.index, model.plain, using: &generator) }
            }
            expectFew(editor.index, model.plain, using: &generator)
            store.save(editor.index, for: Sample.step(1).request)
            #expect(store.waitForWrites())
            #expect(store.lastProblem == nil, "seed \(seed)")
            expectSame(editor.index, model.plain, using: &generator)
            expectSame(try #require(store.hit(.step(1))), model.plain, using: &generator)
            expectFew(try #require(store.hit(.step(1))), model.plain, using: &generator)
        }
    }

    /// Searches for a few rows chunk by chunk and without a map, as after a start.
    private func expectFew(
        _ index: SectionIndex, _ plain: PlainIndex, using generator: inout SeededGenerator
    ) {
        let rowIDs = plain.rowIDs
        let wanted = (0..<7).compactMap { _ in rowIDs.randomElement(using: &generator) } + [.min + 3, .max]
        #expect(
            SectionIndexEditor(index).positions(of: wanted)
                == wanted.map { rowID in rowIDs.firstIndex(of: rowID) })
    }

    @Test func `rows whose entry is replaced before they are read are lost, not wrong, and not saved`()
        throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = PlainIndex.distinct(rows: 400, sections: 4, spacing: 1, using: &generator)
        store.save(plain.build(rowsPerChunk: 20), for: Sample().request)
        #expect(store.waitForWrites())
        var model = EditedPlainIndex(plain)
        let editor = SectionIndexEditor(
            try #require(store.hit(Sample())), rowsPerChunk: 20, keepsPreviousRows: false)
        #expect(editor.apply(model.change(4, using: &generator)))
        directory.store().saveNow(
            .distinct(rows: 400, sections: 4, spacing: 3, using: &generator), for: Sample.step(2))
        expectSame(editor.index, model.plain, mayBeLost: true, using: &generator)
        #expect(editor.index.rowIDs(in: 0..<editor.index.numberOfRows) == nil, "seed \(seed)")
        store.save(editor.index, for: Sample.step(1).request)
        #expect(store.waitForWrites())
        #expect(store.lastProblem != nil)
        #expect(store.hit(.step(1)) == nil)
        #expect(store.hit(.step(2)) != nil)
    }
}
