import Foundation
import SectionCaching
import CheckSupport
import Testing

struct KilledAdvanceTests {
    /// Returns the index after a number of steps. Each step has its own random numbers, so that any process
    /// can compute it.
    private static func model(after steps: Int, seed: UInt64) -> EditedPlainIndex {
        var generator = SeededGenerator(seed: seed)
        var model = EditedPlainIndex(.distinct(rows: 600, sections: 6, spacing: 1, using: &generator))
        for step in 0..<steps { _ = edit(&model, step: step, seed: seed) }
        return model
    }

    private static func edit(_ model: inout EditedPlainIndex, step: Int, seed: UInt64) -> SectionIndexEdit {
        var generator = SeededGenerator(seed: seed &+ UInt64(step) &* 1_000_003)
        return model.change(4, using: &generator)
    }

    /// Returns the step to which the token of an entry belongs.
    private static func step(_ token: StoreToken) -> Int {
        let states = token.dependencies.map { Int($0.state[0]) }
        return (states[0] - 3) << 8 + states[1] - 4
    }

    /// Advances the stored entry until the process is killed.
    private static func advanceUntilKilled(_ path: String, seed: UInt64, after microseconds: UInt32) throws {
        let store = SectionCacheStore(directory: URL(filePath: path))
        let outdated = try #require(store.outdatedIndex(for: Sample.step(50_000).request))
        var step = step(outdated.token)
        var model = model(after: step, seed: seed)
        let editor = SectionIndexEditor(outdated.index)
        Thread.detachNewThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        while true {
            #expect(editor.apply(edit(&model, step: step, seed: seed)))
            step += 1
            store.save(editor.index, for: Sample.step(step).request)
            #expect(store.waitForWrites())
        }
    }

    @Test func `after a kill during an advance the entry is intact and that of some step`()
        async throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let first = Self.model(after: 0, seed: seed)
        do {
            let store = directory.store()
            store.save(first.plain.build(rowsPerChunk: 25), for: Sample.step(0).request)
            #expect(store.waitForWrites())
        }
        var reached = 0
        for _ in 0..<8 {
            let path = directory.path
            let delay = UInt32.random(in: 200...40_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, seed = seed as UInt64, delay = delay as UInt32] in
                try Self.advanceUntilKilled(path, seed: seed, after: delay)
            }
            let store = directory.store()
            let outdated = try #require(store.outdatedIndex(for: Sample.step(50_000).request))
            let step = Self.step(outdated.token)
            #expect(step >= reached)
            reached = step
            #expect(try store.entries(ofCache: "artworks").allSatisfy { $0.isIntact })
            let index = try #require(store.hit(.step(step)))
            expectSame(index, Self.model(after: step, seed: seed).plain, using: &generator)
        }
        print("\(reached) steps")
        #expect(reached > 0)
    }
}
