import Foundation
import LMDB
import SectionCaching
import CheckSupport
import Testing

struct RetentionTests {
    private func plain(_ number: Int, rows: Int = 3) -> PlainIndex {
        PlainIndex(sections: [
            .init(
                identity: [UInt8(truncatingIfNeeded: number)], name: "section \(number)", title: "s",
                rowIDs: (0..<Int64(rows)).map { $0 * 1_000 + Int64(number) })
        ])
    }

    private func sample(_ number: Int) -> Sample { Sample().with { $0.parts["window"] = "\(number)" } }

    /// Returns a sample under one of several names.
    private func sample(_ number: Int, ofNames count: Int) throws -> Sample {
        let name = try CacheName("cache \(number % count)")
        return sample(number).with { $0.name = name }
    }

    @Test func `two requests under one name are both found`() throws {
        var generator = SeededGenerator(seed: 21)
        let directory = try CacheFixture()
        let store = directory.store()
        for number in 0..<2 { store.saveNow(plain(number), for: sample(number)) }
        for number in 0..<2 {
            expectSame(try #require(store.hit(sample(number))), plain(number), using: &generator)
        }
    }

    @Test func `the eight entries of a name that were saved last are kept`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        for number in 0..<20 { store.saveNow(plain(number), for: sample(number)) }
        // Saving an entry again makes it the newest.
        store.saveNow(plain(13), for: sample(13))
        store.saveNow(plain(20), for: sample(20))
        let kept = (0...20).filter { store.lookUp(sample($0).request).isHit }
        #expect(kept == [13, 14, 15, 16, 17, 18, 19, 20])
        let entries = try store.entries(ofCache: "artworks")
        #expect(entries.count == 8)
        #expect(entries.map(\.sequence) == entries.map(\.sequence).sorted(by: >))
        #expect(entries.first?.index?.section(at: 0).name == "section 20")
        #expect(entries.dropFirst().first?.index?.section(at: 0).name == "section 13")
        // Evicted entries leave nothing behind: each kept entry has a directory and a chunk.
        #expect(try directory.values(ofCache: "artworks").count == 16)
    }

    @Test func `the limit applies to each name separately`() throws {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumEntriesPerName: 2))
        for name in ["a", "b"] as [CacheName] {
            for number in 0..<4 { store.saveNow(plain(number), for: sample(number).with { $0.name = name }) }
        }
        for name in ["a", "b"] as [CacheName] {
            let kept = (0..<4).filter { number in
                store.lookUp(sample(number).with { $0.name = name }.request).isHit
            }
            #expect(kept == [2, 3])
        }
    }

    @Test func `an entry that is saved again with fewer rows leaves no chunk behind`() throws {
        var generator = SeededGenerator(seed: 22)
        let directory = try CacheFixture()
        let store = directory.store()
        for rows in [40_000, 20_000, 1, 0, 30_000] {
            store.saveNow(plain(1, rows: rows), for: sample(1))
            let index = try #require(store.hit(sample(1)))
            expectSame(index, plain(1, rows: rows), using: &generator)
            let entry = try #require(try store.entries(ofCache: "artworks").first)
            #expect(entry.isIntact)
            #expect(try directory.values(ofCache: "artworks").count == 1 + entry.numberOfChunks)
        }
    }

    @Test func `an index in use does not see the rows that replaced its own`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.saveNow(plain(1, rows: 20_000), for: sample(1))
        let index = try #require(store.hit(sample(1)))
        #expect(index.rowIDs(in: 0..<2) == [1, 1_001])
        store.saveNow(plain(2, rows: 20_000), for: sample(1))
        #expect(index.rowIDs(in: 0..<2) == nil)
        #expect(index.position(ofRowID: 1) == .lost)
        #expect(index.section(at: 0).name == "section 1")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a map that is too small for all entries loses some, and never gives wrong rows`(seed: UInt64) throws
    {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        var saved: [(Sample, PlainIndex)] = []
        var hits = 0
        var freshHits = 0
        for number in 0..<120 {
            let sample = Sample().with {
                $0.name = ["a", "b", "c", "d"].randomElement(using: &generator) ?? "a"
                $0.parts["window"] = "\(number % 30)"
            }
            let rows = [0, 10, 5_000, 20_000, 45_000].randomElement(using: &generator) ?? 0
            let plain = PlainIndex.random(rows: rows, sections: 3, ids: .dense, using: &generator)
            store.saveNow(plain, for: sample)
            saved.removeAll { $0.0.name == sample.name && $0.0.parts == sample.parts }
            saved.append((sample, plain))
            if let index = store.hit(sample) {
                freshHits += 1
                expectSame(index, plain, using: &generator)
            }
            let (older, olderPlain) = try #require(saved.randomElement(using: &generator))
            if let index = store.hit(older) {
                hits += 1
                expectSame(index, olderPlain, using: &generator)
            }
        }
        print(
            "\(freshHits) of 120 found at once, \(hits) later, last problem \(String(describing: store.lastProblem))"
        )
        #expect(freshHits > 110)
        #expect(
            try FileManager.default.attributesOfItem(atPath: directory.dataFile)[.size] as? Int ?? 0 <= 1
                << 20)
    }

    @Test func `when the map is full, the oldest entries are evicted, and no more than necessary`()
        throws
    {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        for number in 0..<40 {
            // About 75,000 bytes each: seven fit into 60 % of the map.
            store.saveNow(plain(number, rows: 22_500), for: try sample(number, ofNames: 7))
            let kept = try (0...number).filter { earlier in
                try store.lookUp(sample(earlier, ofNames: 7).request).isHit
            }
            #expect(kept == Array((number - kept.count + 1)...number))
            #expect(kept.count == min(number + 1, 7), "\(kept)")
        }
    }

    @Test func `exceeding the limit of names empties the directory, and saves continue`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        var fresh = 0
        for number in 0..<3_100 {
            let sample = try sample(number, ofNames: 3_100)
            store.saveNow(plain(number, rows: 3), for: sample)
            if store.lookUp(sample.request).isHit { fresh += 1 }
        }
        // The saves that exceed the limit succeed as well, each time.
        #expect(fresh == 3_100)
        #expect("\(String(describing: store.lastProblem))".contains("1000 names"))
        #expect(try !store.lookUp(sample(0, ofNames: 3_100).request).isHit)
        #expect(try !store.lookUp(sample(1_500, ofNames: 3_100).request).isHit)
    }

    @Test func `many small entries are saved among large ones`() throws {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        var generator = SeededGenerator(seed: 23)
        for number in 0..<500 {
            // A name of this length makes a directory value that needs an overflow page.
            var plain = plain(number, rows: number % 50 == 49 ? 60_000 : 0)
            plain.sections[0].name = String(repeating: "x", count: 1_800)
            let sample = try sample(number, ofNames: 60)
            store.saveNow(plain, for: sample)
            let index = try #require(store.hit(sample), "\(number): \(String(describing: store.lastProblem))")
            if number % 10 == 9 { expectSame(index, plain, using: &generator) }
        }
    }

    @Test
    func `while a read transaction keeps all pages, saves may fail silently, and later saves succeed`()
        throws
    {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        store.saveNow(plain(0, rows: 20_000), for: sample(0))
        let environment = try directory.environment()
        try environment.read { (_) throws(LMDBError) in
            for number in 1..<40 { store.saveNow(plain(number, rows: 20_000), for: sample(number)) }
        }
        #expect(store.lastProblem != nil)
        store.saveNow(plain(50, rows: 20_000), for: sample(50))
        store.saveNow(plain(51, rows: 20_000), for: sample(51))
        var generator = SeededGenerator(seed: 24)
        expectSame(try #require(store.hit(sample(51))), plain(51, rows: 20_000), using: &generator)
    }
}
