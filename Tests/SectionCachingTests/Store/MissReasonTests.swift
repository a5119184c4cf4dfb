import Foundation
import LMDB
import SectionCaching
import Testing

struct MissReasonTests {
    static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5, 4, 9])])

    /// Returns a store that holds the sample.
    private func filled(_ directory: CacheFixture) -> SectionCacheStore {
        let store = directory.store()
        store.saveNow(Self.plain, for: Sample())
        return store
    }

    @Test func `an empty store and another name give .absent`() throws {
        let directory = try CacheFixture()
        #expect(directory.store().missReason(Sample()) == .absent)
        let store = filled(directory)
        #expect(store.missReason(Sample().with { $0.name = "others" }) == .absent)
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test(arguments: [0, 8_192, nil])
    func `a damaged file is corrupt until an entry is saved in its replacement`(size: Int?) throws {
        let directory = try CacheFixture()
        do { _ = filled(directory) }
        var bytes = try directory.contents()
        if let size {
            bytes = size > 0 ? Array(bytes.prefix(size)) : Array("hello".utf8)
        } else {
            for offset in 0..<bytes.count { bytes[offset] = UInt8(truncatingIfNeeded: offset) }
        }
        try directory.replaceContents(bytes)
        let store = directory.store()
        for _ in 0..<2 {
            guard case .corrupt? = store.missReason(Sample()), case .corrupt = store.lastProblem else {
                Issue.record("\(String(describing: store.missReason(Sample())))")
                return
            }
        }
        store.saveNow(Self.plain, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
        #expect(store.missReason(Sample().with { $0.name = "others" }) == .absent)
    }

    @Test func `another request names the parts that differ from the nearest entry`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        store.saveNow(
            Self.plain, for: Sample().with { $0.parts = ["entity": "Other", "sort": "x", "section": "y"] })
        #expect(
            store.missReason(Sample().with { $0.parts["sort"] = "title descending" })
                == .requestChanged(parts: ["sort"]))
        #expect(
            store.missReason(Sample().with { $0.parts["section"] = "year" })
                == .requestChanged(parts: ["section"]))
        #expect(
            store.missReason(Sample().with { $0.parts["sort"] = nil }) == .requestChanged(parts: ["sort"]))
        #expect(
            store.missReason(
                Sample().with {
                    $0.parts["sort"] = "z"
                    $0.parts["entity"] = "w"
                }) == .requestChanged(parts: ["entity", "sort"]))
    }

    @Test func `other versions of libraries are a changed environment`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        #expect(store.missReason(Sample().with { $0.parts["environment"] = "2" }) == .environmentChanged)
    }

    @Test func `the summary is not part of a request`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        #expect(store.lookUp(Sample().with { $0.summary = "said otherwise" }.request).isHit)
    }

    @Test func `a changed token names the changed dependencies`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        #expect(
            store.missReason(Sample().with { $0.states["Artist"] = 9 })
                == .dataChanged(dependencies: ["Artist"]))
        #expect(
            store.missReason(Sample().with { $0.states = ["Artist": 9, "Artwork": 8] })
                == .dataChanged(dependencies: ["Artist", "Artwork"]))
        #expect(
            store.missReason(Sample().with { $0.states["New"] = 1 }) == .dataChanged(dependencies: ["New"]))
        #expect(store.missReason(Sample().with { $0.states["Artist"] = nil }) == .schemaChanged)
        #expect(store.missReason(Sample().with { $0.schema = 7 }) == .schemaChanged)
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test func `the token of another store gives .storeReplaced`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        #expect(store.missReason(Sample().with { $0.storeIdentity = 9 }) == .storeReplaced)
    }

    @Test func `another authentication key gives .forged`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        #expect(store.missReason(Sample().with { $0.key = 9 }) == .forged)
    }

    @Test func `an entry under another name gives .forged`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        for (key, value) in try directory.values(ofCache: "artworks") {
            try directory.put(value, for: key, inCache: "others")
        }
        #expect(store.missReason(Sample().with { $0.name = "others" }) == .forged)
    }

    @Test func `an entry under another store's key is not used for that store`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        for (key, value) in try directory.values(ofCache: "artworks") {
            var moved = key
            moved.replaceSubrange(32..<48, with: [UInt8](repeating: 9, count: 16))
            try directory.put(value, for: moved, inCache: "artworks")
        }
        #expect(store.missReason(Sample().with { $0.storeIdentity = 9 }) == .storeReplaced)
    }

    @Test func `an entry under another request's key is not used for that request`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        let other = Sample().with { $0.parts["sort"] = "year" }
        for (key, value) in try directory.values(ofCache: "artworks") {
            try directory.put(
                value, for: other.canonical.fingerprint.bytes + key.dropFirst(32), inCache: "artworks")
        }
        #expect(store.missReason(other)?.description.contains("request changed") == true)
    }

    @Test func `an entry of another format gives the number of the format`() throws {
        let directory = try CacheFixture()
        let store = filled(directory)
        let (key, value) = try #require(try directory.values(ofCache: "artworks").first)
        var other = value
        other[8] = 77
        try directory.put(other, for: key, inCache: "artworks")
        #expect(store.missReason(Sample()) == .formatMismatch(found: 77))
    }

    /// Returns an example of the reason that the declaration has after another one. The compiler reports a
    /// reason that is missing here.
    private static func following(_ reason: MissReason) -> MissReason? {
        switch reason {
        case .absent: .requestChanged(parts: ["sort"])
        case .requestChanged: .environmentChanged
        case .environmentChanged: .dataChanged(dependencies: ["Artist"])
        case .dataChanged: .storeReplaced
        case .storeReplaced: .schemaChanged
        case .schemaChanged: .formatMismatch(found: 3)
        case .formatMismatch: .corrupt(detail: "d")
        case .corrupt: .forged
        case .forged: .contradicted(detail: "c")
        case .contradicted: .unsaved
        case .unsaved: .dirty(dependencies: ["Artist"])
        case .dirty: .untracked
        case .untracked: .unsettled(detail: "u")
        case .unsettled: .unsupportedFileSystem("0x1")
        case .unsupportedFileSystem: .off(.directory("a"))
        case .off(.directory): .off(.unsafe("b"))
        case .off(.unsafe): .off(.notOurs("c"))
        case .off(.notOurs): .off(.readOnly)
        case .off(.readOnly): .off(.diskFull)
        case .off(.diskFull): .off(.busy)
        case .off(.busy): .off(.guarded)
        case .off(.guarded): .off(.forked)
        case .off(.forked): .off(.failure("something else"))
        case .off(.failure): nil
        }
    }

    @Test func `every reason has a different description`() {
        var reasons: [MissReason] = [.requestChanged(parts: [.model])]
        var reason: MissReason? = .absent
        while let found = reason {
            reasons.append(found)
            reason = Self.following(found)
        }
        #expect(reasons.count == 1 + 15 + 9)
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(CacheLookup.miss(.absent).description == "miss: nothing is cached under this name")
    }
}
