import Foundation
import SectionCaching
import CheckSupport
import Testing

struct RoundTripTests {
    @Test(arguments: [
        (0, 0), (0, 1), (0, 5), (1, 1), (2, 1), (4_088, 3), (4_090, 3), (4_091, 3), (10_000, 1_000),
        (50_000, 40),
    ])
    func `what was saved is found again, in this process and after opening anew`(rows: Int, sections: Int)
        throws
    {
        let seed = UInt64(rows * 31 + sections)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
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

    @Test func `two sections of one name keep apart by their identities`() throws {
        let directory = try TemporaryDirectory()
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
    func `the position of a row's ID is where a search of the array finds it`(ids: PlainIndex.Identifiers)
        throws
    {
        var generator = SeededGenerator(seed: 11)
        let directory = try TemporaryDirectory()
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

    @Test func `an entry that is larger than a cache takes is not saved, and nothing else suffers`() throws {
        let directory = try TemporaryDirectory()
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

    @Test func `a reading store makes nothing`() throws {
        let directory = try TemporaryDirectory()
        let store = directory.store(.init(isReadOnly: true))
        #expect(store.missReason(Sample()) == .absent)
        store.saveNow(PlainIndex(sections: []), for: Sample())
        store.deleteAllCaches()
        #expect(store.waitForSaves())
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }
}
