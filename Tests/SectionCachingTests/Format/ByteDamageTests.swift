import Foundation
import LMDB
import SectionCaching
import CheckSupport
import Testing

/// Stored values are damaged through LMDB, so that only the library's own checks can detect it.
struct ByteDamageTests {
    private static func plain(_ seed: UInt64) -> PlainIndex {
        var generator = SeededGenerator(seed: seed)
        return PlainIndex.random(rows: 14_000, sections: 6, ids: .sparse, using: &generator)
    }

    @Test(arguments: [
        ("magic", 0..<8), ("format", 8..<12), ("byte order", 12..<16), ("sequence", 16..<24),
        ("authentication", 56..<88), ("store", 88..<104), ("rows", 104..<112), ("counts", 112..<144),
        ("the rest", 144..<Int.max),
    ])
    func `every changed byte of a directory is detected`(field: String, region: Range<Int>) throws {
        var generator = SeededGenerator(seed: 41)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = Self.plain(1)
        store.saveNow(plain, for: Sample())
        let (key, sound) = try #require(try directory.values(ofCache: "artworks").first)
        let offsets = region.clamped(to: 0..<sound.count)
        for offset in offsets.count <= 32
            ? Array(offsets) : Array(offsets.shuffled(using: &generator).prefix(150))
        {
            var bytes = sound
            bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try directory.put(bytes, for: key, inCache: "artworks")
            let reason = try #require(store.missReason(Sample()), "byte \(offset) of \(field)")
            switch reason {
            case .corrupt, .formatMismatch: break
            // The digest is correct, and the authentication code is not.
            case .forged: #expect((56..<88).contains(offset), "byte \(offset) of \(field)")
            default: Issue.record("byte \(offset) of \(field): \(reason)")
            }
            let entries = try store.entries(ofCache: "artworks")
            #expect(entries.count == 1)
            #expect(entries.allSatisfy { $0.index != nil || !$0.isIntact })
        }
        try directory.put(sound, for: key, inCache: "artworks")
        expectSame(try #require(store.hit(Sample())), plain, using: &generator)
    }

    @Test func `the inspector detects a changed digest, and look-ups still give the saved entry`() throws {
        var generator = SeededGenerator(seed: 43)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = Self.plain(1)
        store.saveNow(plain, for: Sample())
        let (key, sound) = try #require(try directory.values(ofCache: "artworks").first)
        for offset in 24..<56 {
            var bytes = sound
            bytes[offset] ^= 4
            try directory.put(bytes, for: key, inCache: "artworks")
            // The authentication code covers all bytes that are used.
            #expect(store.hit(Sample())?.rowIDs(in: 0..<14_000) == plain.rowIDs)
            #expect(try store.entries(ofCache: "artworks").first?.isIntact == false)
        }
        expectSame(try #require(store.hit(Sample())), plain, using: &generator)
    }

    @Test func `a directory of another length is not used`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.saveNow(Self.plain(1), for: Sample())
        let (key, sound) = try #require(try directory.values(ofCache: "artworks").first)
        for count in [0, 1, 7, 8, 15, 16, 87, 88, 143, 144, 145, sound.count / 2, sound.count - 1] {
            try directory.put(Array(sound.prefix(count)), for: key, inCache: "artworks")
            let reason = try #require(store.missReason(Sample()))
            guard case .corrupt = reason else {
                Issue.record("\(count) bytes: \(reason)")
                continue
            }
        }
        try directory.put(sound + [0], for: key, inCache: "artworks")
        #expect(!store.lookUp(Sample().request).isHit)
    }

    @Test(arguments: [
        ("generation", 0..<16), ("smallest ID", 16..<24), ("width", 24..<32), ("rows", 32..<Int.max),
    ])
    func `every changed byte of a chunk is detected`(field: String, region: Range<Int>) throws {
        var generator = SeededGenerator(seed: 42)
        let directory = try CacheFixture()
        let store = directory.store()
        let plain = Self.plain(2)
        store.saveNow(plain, for: Sample())
        let values = try directory.values(ofCache: "artworks")
        try #require(values.count == 4)
        let rowsPerChunk = (16_368 - 32) / 3
        for (number, (key, sound)) in values.dropFirst().enumerated() {
            let offsets = region.clamped(to: 0..<sound.count)
            for offset in offsets.shuffled(using: &generator).prefix(12) {
                var bytes = sound
                bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                try directory.put(bytes, for: key, inCache: "artworks")
                let index = try #require(store.hit(Sample()))
                let rows = number * rowsPerChunk..<min(14_000, (number + 1) * rowsPerChunk)
                #expect(index.rowIDs(in: rows.lowerBound..<rows.lowerBound + 1) == nil, "byte \(offset)")
                #expect(index.rowIDs(in: 0..<14_000) == nil)
                #expect(index.position(ofRowID: .min) == .lost)
                // The other chunk still answers.
                let other = number == 0 ? rowsPerChunk..<14_000 : 0..<rowsPerChunk
                #expect(index.rowIDs(in: other) == Array(plain.rowIDs[other]))
                #expect(try store.entries(ofCache: "artworks").first?.isIntact == false)
            }
            try directory.put(sound, for: key, inCache: "artworks")
        }
        expectSame(try #require(store.hit(Sample())), plain, using: &generator)
    }

    @Test func `a chunk of another length or a missing chunk loses its rows`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.saveNow(Self.plain(2), for: Sample())
        let (key, sound) = try #require(try directory.values(ofCache: "artworks").dropFirst().first)
        for bytes in [
            [], Array(sound.prefix(31)), Array(sound.prefix(32)), Array(sound.dropLast()), sound + [0],
        ] {
            try directory.put(bytes, for: key, inCache: "artworks")
            #expect(try #require(store.hit(Sample())).rowIDs(in: 0..<1) == nil)
        }
        try directory.environment().write { (transaction) throws(LMDBError) in
            try transaction.removeValue(for: key, in: try transaction.database(creating: "artworks"))
        }
        #expect(try #require(store.hit(Sample())).rowIDs(in: 0..<1) == nil)
    }

    @Test func `a chunk of an older generation or of another position is not used`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.saveNow(Self.plain(2), for: Sample())
        let old = try directory.values(ofCache: "artworks")
        store.saveNow(Self.plain(2), for: Sample())
        let new = try directory.values(ofCache: "artworks")
        try #require(old.map(\.key) == new.map(\.key))
        let index = try #require(store.hit(Sample()))
        #expect(index.rowIDs(in: 0..<1) != nil)
        try directory.put(old[1].value, for: new[1].key, inCache: "artworks")
        #expect(index.rowIDs(in: 0..<1) == nil)
        #expect(try #require(store.hit(Sample())).rowIDs(in: 0..<1) == nil)
        try directory.put(new[2].value, for: new[1].key, inCache: "artworks")
        #expect(try #require(store.hit(Sample())).rowIDs(in: 0..<1) == nil)
        // An older directory over newer chunks.
        try directory.put(new[1].value, for: new[1].key, inCache: "artworks")
        try directory.put(old[0].value, for: old[0].key, inCache: "artworks")
        #expect(try #require(store.hit(Sample())).rowIDs(in: 0..<1) == nil)
    }

    @Test func `keys that belong to no entry are ignored`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.saveNow(Self.plain(2), for: Sample())
        let prefix = Sample().canonical.fingerprint.bytes + [UInt8](repeating: 1, count: 16)
        for key in [
            [0], prefix, prefix + [2], prefix + [3, 0, 0, 0, 0], prefix + [1, 0], prefix + [255, 255],
        ] {
            try directory.put([1, 2, 3], for: key, inCache: "artworks")
        }
        #expect(store.lookUp(Sample().request).isHit)
        let other = Sample().with { $0.parts["sort"] = "other" }
        #expect(store.missReason(other) == .requestChanged(parts: ["sort"]))
        #expect(try store.entries(ofCache: "artworks").contains { $0.isIntact })
        store.saveNow(Self.plain(1), for: other)
        #expect(store.lookUp(other.request).isHit)
        #expect(try store.statistics()?.numberOfCaches == 1)
    }
}
