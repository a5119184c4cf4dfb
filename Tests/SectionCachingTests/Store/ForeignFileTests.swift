import CLMDB
import Foundation
import SectionCaching
import Testing

/// Data files of other programs, to which LMDB gives the same name.
struct ForeignFileTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )
    private static let words = "data.mdb, which is no cache"

    /// The contents of another program's environment.
    enum Kind: CaseIterable {
        case named, duplicates, numbers, counters, records, unnamed, unnamedDuplicates, unnamedTexts
    }

    /// An LMDB environment that another part of the process opened.
    private final class Other {
        let environment: OpaquePointer

        init(_ path: String) throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            var created: OpaquePointer?
            try #require(mdb_env_create(&created) == 0)
            environment = try #require(created)
            mdb_env_set_maxdbs(environment, 4)
            try #require(mdb_env_open(environment, path, 0, 0o600) == 0)
        }

        func fill(_ kind: Kind) throws {
            let flags: UInt32 =
                switch kind {
                case .named, .unnamed, .unnamedTexts: 0
                case .duplicates, .unnamedDuplicates: UInt32(MDB_DUPSORT)
                case .numbers, .counters, .records: UInt32(MDB_INTEGERKEY)
                }
            let isNamed = ![.unnamed, .unnamedDuplicates, .unnamedTexts].contains(kind)
            var begun: OpaquePointer?
            try #require(mdb_txn_begin(environment, nil, 0, &begun) == 0)
            let transaction = try #require(begun)
            var database: MDB_dbi = 0
            try #require(
                mdb_dbi_open(transaction, isNamed ? "mine" : nil, flags | UInt32(MDB_CREATE), &database) == 0)
            for number in UInt64(1)...200 {
                for copy in UInt64(0)..<3 {
                    let words: [UInt64] =
                        switch kind {
                        case .counters: [0]
                        // Values of the size of a tree's record.
                        case .unnamedTexts: Array(repeating: 0x2020_2020_6162_6364 + number, count: 6)
                        case .records: [number, copy, number, number, 0, copy]
                        default: [number, copy]
                        }
                    withUnsafeBytes(of: number) { key in
                        words.withUnsafeBytes { value in
                            var key = Self.value(key)
                            var value = Self.value(value)
                            #expect(mdb_put(transaction, database, &key, &value, 0) == 0)
                        }
                    }
                }
            }
            try #require(mdb_txn_commit(transaction) == 0)
        }

        private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
            MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }

        deinit { mdb_env_close(environment) }
    }

    private func files(_ directory: CacheFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Looks up, saves and deletes with a store at a directory, and returns the result of the look-up.
    private func use(_ directory: CacheFixture) -> MissReason? {
        let store = directory.store()
        let reason = store.missReason(Sample())
        store.saveNow(Self.plain, for: Sample())
        store.deleteAllCaches()
        #expect(store.waitForWrites())
        return reason
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `another program's environment is left alone, with and without a guard file`(
        kind: Kind, hasGuard: Bool
    )
        throws
    {
        let directory = try CacheFixture()
        do { try Other(directory.path).fill(kind) }
        if hasGuard { try write(Data(), to: directory.path + "/guard.lock") }
        let before = try (directory.contents(), files(directory))
        for _ in 0..<2 { #expect(use(directory) == .off(.notOurs(Self.words))) }
        let failure = #expect(throws: CacheInspectionError.self) {
            try directory.store(.init(isReadOnly: true)).cacheNames()
        }
        #expect(failure?.reason == .off(.notOurs(Self.words)))
        #expect(try directory.contents() == before.0)
        #expect(try files(directory) == before.1)
    }

    @Test
    func `a read-only store creates no file beside another program's, so that it is not replaced later`()
        throws
    {
        for other in [Data("no cache at all".utf8), Data(repeating: 3, count: 50_000)] {
            let directory = try CacheFixture()
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try write(other, to: directory.dataFile)
            #expect(throws: CacheInspectionError.self) {
                try directory.store(.init(isReadOnly: true)).cacheNames()
            }
            #expect(try files(directory) == ["data.mdb"])
            #expect(use(directory) == .off(.notOurs(Self.words)))
            #expect(try Data(directory.contents()) == other)
            #expect(try files(directory) == ["data.mdb"])
        }
    }

    /// An intact data file, with the offsets of its newer meta page and of the leaf page of its main tree.
    private struct Sound {
        let bytes: [UInt8]
        let meta: Int
        let leaf: Int

        init(_ rowCounts: [Int]) throws {
            let directory = try CacheFixture()
            for (name, count) in zip(["even", "odd"] as [CacheName], rowCounts) {
                let rowIDs = (0..<Int64(count)).map { ($0 + 1) * 977 % 10_007 }
                let index = PlainIndex(sections: [
                    .init(identity: [1], name: "a", title: "a", rowIDs: rowIDs)
                ])
                directory.store().saveNow(index, for: Sample(name: name))
            }
            let bytes = try directory.contents()
            func number(_ offset: Int, _ count: Int) -> Int {
                (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
            }
            self.bytes = bytes
            meta = number(144, 8) > number(4_096 + 144, 8) ? 0 : 4_096
            leaf = number(meta + 128, 8) * 4_096
            try #require(number(leaf + 10, 2) == 2)
        }

        /// The range of the nodes in the leaf page.
        var nodes: Range<Int> { leaf + Int(bytes[leaf + 14]) + Int(bytes[leaf + 15]) << 8..<leaf + 4_096 }

        /// The used bytes of the root pages of the trees that the main tree names.
        var namedRoots: [Int] {
            records.dropFirst().flatMap { record in
                let root = (0..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[record + 40 + $1]) } * 4_096
                let upper = root + Int(bytes[root + 14]) + Int(bytes[root + 15]) << 8
                return Array(root..<root + Int(bytes[root + 12])) + Array(upper..<root + 4_096)
            }
        }

        /// The offsets of the tree records: of the main tree, and of the trees that it names.
        var records: [Int] {
            let offsets = stride(from: leaf + 16, to: leaf + Int(bytes[leaf + 12]), by: 2)
            return [meta + 88]
                + offsets.map { offset in
                    let node = leaf + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8
                    return node + 8 + Int(bytes[node + 6])
                }
        }
    }

    /// Returns the miss reason for a data file with a cache's guard file beside it, nil for a hit.
    private func missReason(_ bytes: [UInt8]) throws -> MissReason? {
        let damaged = try CacheFixture()
        try damaged.replaceContents(bytes)
        try write(Data(), to: damaged.path + "/guard.lock")
        return damaged.store().missReason(Sample(name: "even"))
    }

    /// The numbers of rows of caches with small values, and of caches whose values have overflow pages.
    private static let rowCounts = [[0], [1], [1, 1], [5_000, 1], [9_000]]

    @Test(arguments: rowCounts.suffix(2))
    func `damage to the bytes that identify a cache does not make it another program's`(
        rowCounts: [Int]
    ) throws {
        let sound = try Sound(rowCounts)
        let (meta, leaf) = (sound.meta, sound.leaf)
        for offset in [Array(meta..<meta + 152), Array(leaf..<leaf + 24), Array(sound.nodes)].joined() {
            for value: UInt8 in [0, 4, 8, 0xFF] {
                var bytes = sound.bytes
                bytes[offset] = value
                // Some bytes have no effect, and some lead to an intact cache without the entry.
                switch try missReason(bytes) {
                case nil, .absent, .corrupt: break
                case let reason?: Issue.record("byte \(offset): \(value): \(reason)")
                }
            }
        }
    }

    @Test(arguments: rowCounts)
    func `a damaged byte in the entries of a cache does not make it another program's`(
        rowCounts: [Int]
    ) throws {
        let sound = try Sound(rowCounts)
        for offset in sound.namedRoots {
            for value: UInt8 in [0, 1, 0xFF] where sound.bytes[offset] != value {
                var bytes = sound.bytes
                bytes[offset] = value
                if case .off(let reason)? = try missReason(bytes) {
                    Issue.record("byte \(offset): \(value): \(reason)")
                }
            }
        }
    }

    @Test(arguments: rowCounts)
    func `a record with a damaged number, in a node with damaged flags, is damage`(
        rowCounts: [Int]
    ) throws {
        let sound = try Sound(rowCounts)
        for record in sound.records.dropFirst() {
            // The names “even” and “odd” are between the node's header and the record.
            let keySize = sound.bytes[record - 4..<record] == Array("even".utf8)[...] ? 4 : 3
            for offset in record..<record + 48 {
                for value: UInt8 in [1, 0xFF] {
                    var bytes = sound.bytes
                    bytes[record - keySize - 4] = 0
                    bytes[offset] = value
                    let reason = try missReason(bytes)
                    if case .corrupt = reason { continue }
                    Issue.record("byte \(offset) of \(record): \(value): \(String(describing: reason))")
                }
            }
        }
    }

    @Test(arguments: rowCounts)
    func `a record of another kind that points to another page of a cache is damage`(
        rowCounts: [Int]
    ) throws {
        let sound = try Sound(rowCounts)
        for record in sound.records {
            for flags: UInt8 in [2, 4, 8] {
                for page in 2..<UInt8(sound.bytes.count / 4_096) {
                    var bytes = sound.bytes
                    bytes[record + 4] = flags
                    bytes[record + 40] = page
                    let reason = try missReason(bytes)
                    if case .corrupt = reason { continue }
                    Issue.record(
                        "record \(record): flags \(flags), page \(page): \(String(describing: reason))")
                }
            }
        }
    }

    @Test func `a read-only store creates no guard file`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
        #expect(try directory.store(.init(isReadOnly: true)).cacheNames() == ["artworks"])
        #expect(try files(directory) == ["data.mdb", "lock.mdb"])
        // A store that writes creates it again beside a cache.
        #expect(directory.store().hit(Sample()) != nil)
        #expect(try files(directory) == ["data.mdb", "guard.lock", "lock.mdb"])
    }

    @Test func `a failed opening removes its guard file, and the next opening claims no foreign file`()
        throws
    {
        let directory = try CacheFixture()
        do {
            // The empty environment does not show to which program it belongs.
            let other = try Other(directory.path)
            #expect(use(directory) == .off(.guarded))
            #expect(try files(directory) == ["data.mdb", "lock.mdb"])
            try other.fill(.named)
        }
        // The file is truncated, so that its contents identify no program.
        let damaged = try Array(directory.contents().dropLast(4_096))
        try write(Data(damaged), to: directory.dataFile)
        #expect(use(directory) == .off(.notOurs(Self.words)))
        #expect(try directory.contents() == damaged)
    }
}
