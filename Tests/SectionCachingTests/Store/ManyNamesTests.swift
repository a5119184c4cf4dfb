import CLMDB
import Foundation
import LMDB
import SectionCaching
import Testing

/// Names are never removed from a file, and programs that share a file may use more names than a process
/// has handles for.
struct ManyNamesTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )
    private static let names = (0..<1_200).map { "cache \($0)" }

    /// Returns a directory with an entry under each of the names.
    private func makeDirectory() throws -> CacheFixture {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample().with { $0.name = "cache 0" }) }
        let entry = try directory.values(ofCache: "cache 0")
        var created: OpaquePointer?
        try #require(mdb_env_create(&created) == 0)
        let environment = try #require(created)
        defer { mdb_env_close(environment) }
        mdb_env_set_maxdbs(environment, 2_000)
        mdb_env_set_mapsize(environment, 64 << 20)
        try #require(mdb_env_open(environment, directory.path, 0, 0o600) == 0)
        var begun: OpaquePointer?
        try #require(mdb_txn_begin(environment, nil, 0, &begun) == 0)
        let transaction = try #require(begun)
        for name in Self.names {
            var database: MDB_dbi = 0
            try #require(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &database) == 0)
            for (key, value) in entry {
                key.withUnsafeBytes { key in
                    value.withUnsafeBytes { value in
                        var key = Self.value(key)
                        var value = Self.value(value)
                        #expect(mdb_put(transaction, database, &key, &value, 0) == 0)
                    }
                }
            }
        }
        try #require(mdb_txn_commit(transaction) == 0)
        return directory
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @Test func `all names of a file are listed`() throws {
        let directory = try makeDirectory()
        let store = directory.store(.init(isReadOnly: true))
        let names = try store.cacheNames()
        #expect(names.map(\.rawValue) == Self.names.sorted())
        for name in names { #expect(try store.entries(ofCache: name).count == 1) }
        #expect(try store.statistics()?.numberOfEntries == 1_200)
    }

    @Test func `all caches are deleted, and later saves are found`() throws {
        let directory = try makeDirectory()
        let store = directory.store()
        store.deleteAllCaches()
        #expect(store.waitForWrites(upTo: 60))
        #expect(try store.cacheNames().isEmpty)
        for name in ["cache 7", "of a new name"] as [CacheName] {
            let sample = Sample().with { $0.name = name }
            #expect(store.missReason(sample) == .absent)
            store.saveNow(Self.plain, for: sample)
            #expect(store.lookUp(sample.request).isHit)
        }
    }

    @Test func `a file gets no more names than the limit from any number of stores`() throws {
        let directory = try CacheFixture()
        for start in 0..<3 {
            // Each store has its own handles.
            let store = directory.store()
            for number in 0..<400 {
                store.saveNow(
                    Self.plain,
                    for: Sample().with { $0.name = try! CacheName("cache \(start * 400 + number)") })
            }
            #expect(try directory.environment().databaseNames().count <= 1_000)
        }
    }
}
