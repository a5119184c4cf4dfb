import Foundation
import SectionCaching
import CheckSupport
import Testing

struct RoundTripTests {
    @Test(arguments: [
        (0, 0), (0, 1), (0, 5), (1, 1), (2, 1), (4_088, 3), (4_090, 3), (4_091, 3), (10_000, 1_000),
        (50_000, 40),
    ])
    func `a saved index is found by the same store and after opening another one`(rows: Int, sections: Int)
        throws
    {
        let seed = UInt64(rows * 31 + sections)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        for ids in PlainIndex.Identifiers.allCases {
            let plain = PlainIndex.random(rows: rows, sections: sections, ids: ids, using: &generator)
            let sample = Sample().with { $0.parts["ids"] = "\(ids)" }
            let store = directory.store()
            expectSame(plain.build(), plain, using: &generator)
            store.saveNow(plain, for: sample)
            for store in [store, directory.store()] {
                let index = try #require(store.hit(sample), "\(String(describing: store.missReason(sample)))")
                #expect(index.isPersisted)
                expectSame(index, plain, using: &generator)
            }
        }
    }

    @Test func `sections with equal names are distinguished by their identities`() throws {
        let directory = try CacheFixture()
        let plain = PlainIndex(sections: [
            .init(identity: [0], name: "nil", title: "n", rowIDs: [1, 2]),
            .init(identity: [], name: "nil", title: "", rowIDs: []),
            .init(identity: [0, 0], name: "nil", title: "n", rowIDs: [3]),
        ])
        let store = directory.store()
        store.saveNow(plain, for: Sample())
        let index = try #require(store.hit(Sample()))
        #expect(plain.sections.map { index.firstSectionPosition(identity: $0.identity) } == [0, 1, 2])
        #expect(index.firstSectionPosition(identity: [9]) == nil)
        #expect((0..<3).map { index.sectionPosition(containing: $0) } == [0, 0, 2])
    }

    @Test(arguments: PlainIndex.Identifiers.allCases)
    func `the position of a row ID is the one that a search of the array finds`(ids: PlainIndex.Identifiers)
        throws
    {
        var generator = SeededGenerator(seed: 11)
        let directory = try CacheFixture()
        let plain = PlainIndex.random(rows: 9_000, sections: 7, ids: ids, using: &generator)
        let store = directory.store()
        store.saveNow(plain, for: Sample())
        let rowIDs = plain.rowIDs
        let saved = try #require(store.hit(Sample()))
        var wanted = (0..<8).compactMap { _ in rowIDs.randomElement(using: &generator) }
        wanted += [.min, .max, 0, -7, -8, 9_000, rowIDs[0], rowIDs[8_999]]
        for index in [plain.build(), saved] {
            for id in wanted {
                let expected = rowIDs.firstIndex(of: id).map(SectionIndex.RowPosition.found) ?? .absent
                #expect(index.position(ofRowID: id) == expected, "\(id)")
            }
        }
    }

    @Test func `an entry larger than the limit of the store is not saved, and other entries stay`() throws {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        let small = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [1])])
        store.saveNow(small, for: Sample())
        var generator = SeededGenerator(seed: 12)
        let large = PlainIndex.random(rows: 90_000, sections: 1, ids: .extreme, using: &generator)
        let sample = Sample().with { $0.name = "large" }
        store.saveNow(large, for: sample)
        #expect(store.missReason(sample) == .absent)
        #expect(store.lastProblem != nil)
        expectSame(try #require(store.hit(Sample())), small, using: &generator)
    }

    @Test func `a read-only store creates no files`() throws {
        let directory = try CacheFixture()
        let store = directory.store(.init(isReadOnly: true))
        #expect(store.missReason(Sample()) == .absent)
        store.saveNow(PlainIndex(sections: []), for: Sample())
        store.deleteAllCaches()
        #expect(store.waitForWrites())
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }
}
