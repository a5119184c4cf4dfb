import Foundation
import LMDB
import SectionCaching
import Testing

struct ProcessLockTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )

    @Test func `a cache that is locked under this process ID is off until it is unlocked`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        let store = directory.store()
        do {
            let copy = try LockableFile(name: directory.path + "/guard.lock")
            #expect(try copy.tryLock(Int64(getpid())))
            #expect(store.missReason(Sample()) == .off(.guarded))
            store.saveNow(Self.plain, for: Sample().with { $0.name = "others" })
            #expect(store.lastProblem == .off(.guarded))
            withExtendedLifetime(copy) {}
        }
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test func `a failed deletion is made before the next save, and hides the cache until then`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        let store = directory.store()
        let others = Sample().with { $0.name = "others" }
        do {
            let copy = try LockableFile(name: directory.path + "/guard.lock")
            #expect(try copy.tryLock(Int64(getpid())))
            store.deleteCache(named: Sample().name)
            #expect(store.waitForWrites())
            withExtendedLifetime(copy) {}
        }
        #expect(store.missReason(Sample()) == .absent)
        store.saveNow(Self.plain, for: others)
        #expect(store.missReason(Sample()) == .absent)
        #expect(store.lookUp(others.request).isHit)
        #expect(try store.cacheNames() == ["others"])
        store.saveNow(Self.plain, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test func `a damaged directory is left alone while another process replaces it`() throws {
        let directory = try CacheFixture()
        try directory.replaceContents([UInt8](repeating: 7, count: 8_192))
        do {
            let other = try LockableFile(name: directory.path + ".guard")
            #expect(try other.tryLock(1 << 40))
            #expect(directory.store().missReason(Sample()) == .off(.busy))
            #expect(try directory.contents().count == 8_192)
            withExtendedLifetime(other) {}
        }
        let store = directory.store()
        store.saveNow(Self.plain, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test func `a directory that is damaged again is not replaced again by another store`() throws {
        let directory = try CacheFixture()
        let garbage = [UInt8](repeating: 7, count: 8_192)
        try directory.replaceContents(garbage)
        let store = directory.store()
        store.saveNow(Self.plain, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
        try directory.replaceContents(garbage)
        let other = directory.store()
        for _ in 0..<2 {
            guard case .corrupt = other.missReason(Sample()) else {
                Issue.record("\(String(describing: other.missReason(Sample())))")
                continue
            }
            other.saveNow(Self.plain, for: Sample())
        }
        #expect(try directory.contents() == garbage)
    }

    @Test func `remains of a replaced directory are removed at the next replacement, and nothing else`()
        throws
    {
        let directory = try CacheFixture()
        let files = FileManager.default
        let left = ["data.mdb", "lock.mdb", "guard.lock"]
        for (name, contents) in [
            ("caches.discarded-" + UUID().uuidString, left), ("caches.discarded-" + UUID().uuidString, []),
            ("caches.discarded-" + UUID().uuidString, left + ["photo.jpg"]), ("caches.discarded-mine", left),
            ("others.discarded-" + UUID().uuidString, left),
        ] {
            try files.createDirectory(
                atPath: directory.root + "/" + name, withIntermediateDirectories: true)
            for file in contents {
                try Data().write(to: URL(filePath: "\(directory.root)/\(name)/\(file)"))
            }
        }
        try directory.replaceContents([UInt8](repeating: 7, count: 8_192))
        directory.store().saveNow(Self.plain, for: Sample())
        let rest = try files.contentsOfDirectory(atPath: directory.root)
        #expect(rest.count { $0.hasPrefix("caches.discarded-") } == 2)
        for name in rest where name.contains("discarded") {
            #expect(try files.contentsOfDirectory(atPath: directory.root + "/" + name).count >= 3)
        }
        #expect(rest.contains { $0.hasPrefix("others.discarded-") })
    }

    @Test func `a file that a reader keeps full is replaced`() throws {
        let directory = try CacheFixture()
        let store = directory.store(.init(maximumByteCount: 1 << 20))
        let large = PlainIndex(sections: [
            .init(identity: [1], name: "a", title: "a", rowIDs: (0..<60_000).map { $0 &* 7_919 % 1_000_003 })
        ])
        store.saveNow(large, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
        try directory.environment().read { (_) throws(LMDBError) in
            for number in 0..<8 {
                store.saveNow(large, for: Sample().with { $0.parts["window"] = "\(number)" })
            }
        }
        let last = Sample().with { $0.parts["window"] = "last" }
        store.saveNow(large, for: last)
        #expect(store.lookUp(last.request).isHit)
    }
}
