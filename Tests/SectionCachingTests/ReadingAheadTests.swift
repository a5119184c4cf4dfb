import SectionCaching
import TestSupport
import Testing

struct ReadingAheadTests {
    /// What is known of a sample before its store's state is.
    private func early(_ sample: Sample) -> SectionCacheRequest { sample.with { $0.states = [:] }.request }

    /// Comes back with a chance that another thread has read by then.
    private func pause(_ chance: Int) {
        let end = ContinuousClock.now + .microseconds(chance)
        while ContinuousClock.now < end {}
    }

    @Test func `an entry that is read ahead is the one that is kept, however far the reading has come`()
        throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let plain = PlainIndex.distinct(rows: 20_000, sections: 8, spacing: 1, using: &generator)
        directory.store().saveNow(plain, for: Sample())
        for number in 0..<60 {
            let store = directory.store()
            let entry = store.readAhead(early(Sample()))
            pause(number * 50)
            let outdated = try #require(store.outdatedIndex(for: Sample.step(1).request, readAhead: entry))
            #expect(outdated.token == Sample().token, "seed \(seed)")
            expectSame(outdated.index, plain, using: &generator)
        }
    }

    @Test func `what was read ahead is no answer to another request, store, key or state`() throws {
        var generator = SeededGenerator(seed: 91)
        let directory = try TemporaryDirectory()
        let store = directory.store()
        let plain = PlainIndex.distinct(rows: 2_000, sections: 8, spacing: 1, using: &generator)
        store.saveNow(plain, for: Sample())
        let entry = store.readAhead(early(Sample()))
        pause(5_000)
        let changed = Sample.step(1)
        for other in [
            changed.with { $0.name = "prints" }, changed.with { $0.parts["sort"] = "year" },
            changed.with { $0.storeIdentity = 7 }, changed.with { $0.key = 7 },
            Sample(),
        ] {
            #expect(store.outdatedIndex(for: other.request, readAhead: entry) == nil, "\(other)")
        }
        #expect(store.outdatedIndex(for: changed.request, readAhead: entry) != nil)
        #expect(store.lastProblem == nil)
    }

    @Test func `an entry that is replaced after it was read ahead is as it was, or lost`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        for number in 0..<30 {
            let store = directory.store()
            let plain = PlainIndex.distinct(rows: 5_000, sections: 8, spacing: 1, using: &generator)
            store.saveNow(plain, for: Sample())
            let entry = store.readAhead(early(Sample()))
            pause(number * 50)
            let newer = PlainIndex.distinct(rows: 5_000, sections: 8, spacing: 2, using: &generator)
            directory.store().saveNow(newer, for: Sample.step(2))
            let outdated = try #require(store.outdatedIndex(for: Sample.step(1).request, readAhead: entry))
            let expected = outdated.token == Sample().token ? plain : newer
            expectSame(outdated.index, expected, mayBeLost: true, using: &generator)
        }
    }
}
