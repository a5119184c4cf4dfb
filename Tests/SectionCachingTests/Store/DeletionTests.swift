import Foundation
import LMDB
import SectionCaching
import Testing

struct DeletionTests {
    private static let plain = PlainIndex(sections: [
        .init(identity: [1], name: "a", title: "a", rowIDs: [5, 4, 9])
    ])

    private func filled(_ directory: CacheFixture, names: [CacheName]) -> SectionCacheStore {
        let store = directory.store()
        for name in names { store.saveNow(Self.plain, for: Sample().with { $0.name = name }) }
        return store
    }

    private func found(_ store: SectionCacheStore, _ names: [CacheName]) -> [CacheName] {
        names.filter { name in store.lookUp(Sample().with { $0.name = name }.request).isHit }
    }

    @Test func `one cache is deleted immediately and permanently, and the others stay`() throws {
        let directory = try CacheFixture()
        let names: [CacheName] = ["a", "b", "B", "ä"]
        let store = filled(directory, names: names)
        store.deleteCache(named: "b")
        #expect(found(store, names) == ["a", "B", "ä"])
        #expect(store.waitForWrites())
        #expect(found(store, names) == ["a", "B", "ä"])
        #expect(found(directory.store(), names) == ["a", "B", "ä"])
        #expect(try store.cacheNames() == ["B", "a", "ä"])
    }

    @Test func `a name in another Unicode composition deletes the same cache`() throws {
        let directory = try CacheFixture()
        let store = filled(directory, names: ["\u{E9}t\u{E9}"])
        store.deleteCache(named: "e\u{301}te\u{301}")
        #expect(store.waitForWrites())
        #expect(try store.cacheNames().isEmpty)
    }

    @Test func `all caches are deleted immediately and permanently`() throws {
        let directory = try CacheFixture()
        let names: [CacheName] = ["a", "b", "c"]
        let store = filled(directory, names: names)
        store.deleteAllCaches()
        #expect(found(store, names).isEmpty)
        #expect(store.waitForWrites())
        #expect(found(directory.store(), names).isEmpty)
        #expect(try store.cacheNames().isEmpty)
    }

    @Test func `deleting an unknown name or from a missing directory is no problem`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        store.deleteCache(named: "unknown")
        store.deleteAllCaches()
        #expect(store.waitForWrites())
        #expect(store.lastProblem == nil)
        #expect(try store.cacheNames().isEmpty)
    }

    @Test func `entries that are saved after a deletion stay`() throws {
        let directory = try CacheFixture()
        let store = filled(directory, names: ["a", "b"])
        store.deleteAllCaches()
        store.save(Self.plain.build(), for: Sample().with { $0.name = "a" }.request)
        #expect(store.waitForWrites())
        #expect(found(store, ["a", "b"]) == ["a"])
    }

    @Test func `a pending save is deleted with its cache`() throws {
        let directory = try CacheFixture()
        let store = directory.store()
        for _ in 0..<20 { store.save(Self.plain.build(), for: Sample().with { $0.name = "a" }.request) }
        store.deleteCache(named: "a")
        #expect(store.waitForWrites())
        #expect(found(store, ["a"]).isEmpty)
        #expect(try store.cacheNames().isEmpty)
    }

    @Test func `an index whose cache is deleted keeps its sections and loses its rows`() throws {
        let directory = try CacheFixture()
        let store = filled(directory, names: ["a"])
        let index = try #require(store.hit(Sample().with { $0.name = "a" }))
        #expect(index.rowIDs(in: 0..<3) == [5, 4, 9])
        store.deleteCache(named: "a")
        #expect(store.waitForWrites())
        #expect(index.section(at: 0).name == "a" && index.numberOfRows == 3)
        #expect(index.rowIDs(in: 0..<3) == nil)
        #expect(index.rowIDs(in: 1..<1) == [])
    }

    @Test func `a directory that is deleted while a store uses it is created again`() throws {
        let directory = try CacheFixture()
        let store = filled(directory, names: ["a"])
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(found(store, ["a"]).isEmpty)
        store.saveNow(Self.plain, for: Sample().with { $0.name = "a" })
        #expect(found(store, ["a"]) == ["a"])
    }

    @Test func `a directory that replaces an open one is used, even with the same inode number`() throws {
        let directory = try CacheFixture()
        var stores: [SectionCacheStore] = []
        for number in 0..<10 {
            let store = directory.store()
            let sample = Sample().with { $0.parts["window"] = "\(number)" }
            store.saveNow(Self.plain, for: sample)
            #expect(FileManager.default.fileExists(atPath: directory.dataFile), "\(number)")
            // The store stays open although its directory is removed.
            stores.append(store)
            try FileManager.default.removeItem(atPath: directory.path)
            #expect(directory.store().missReason(sample) == .absent, "\(number)")
        }
    }

    @Test func `pending deletions are kept once for each name`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        let store = directory.store()
        do {
            let copy = try LockableFile(name: directory.path + "/guard.lock")
            #expect(try copy.tryLock(Int64(getpid())))
            for number in 0..<1_000 {
                store.deleteCache(named: number % 2 == 0 ? Sample().name : "others")
                if number % 100 == 0 { #expect(store.waitForWrites(upTo: 60)) }
            }
            #expect(store.waitForWrites(upTo: 60))
            #expect(store.numberOfPendingDeletions == 2)
            store.deleteAllCaches()
            #expect(store.waitForWrites(upTo: 60))
            #expect(store.numberOfPendingDeletions == 1)
            withExtendedLifetime(copy) {}
        }
        store.saveNow(Self.plain, for: Sample())
        #expect(store.numberOfPendingDeletions == 0)
        #expect(store.lookUp(Sample().request).isHit)
    }
}
