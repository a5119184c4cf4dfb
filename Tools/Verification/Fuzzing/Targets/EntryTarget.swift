import Foundation
import LMDB
import SectionCaching

/// The directory of a cache entry and the rows of a chunk, without their authentication.
///
/// An input is the length of the directory in four bytes, the directory, and a chunk.
struct EntryTarget: FuzzTarget {
    static let name = "entry"
    static let summary = "directories and chunks of cache entries"
    static let words: [[UInt8]] = [
        Array("SCINDEX\n".utf8), [2, 0, 0, 0], [4, 3, 2, 1], [0xFF, 0xFF, 0xFF, 0x3F], [0, 0, 0, 0x40],
        [0, 0, 0, 0x80], Array(repeating: 0xFF, count: 8), Array(repeating: 0, count: 8),
    ]
    /// A chunk of equal rows needs no bytes for them, so a directory can have many more rows than bytes.
    private static let maximumRows = 1 << 16

    func run(_ input: [UInt8]) throws -> Bool {
        let length = PlainEntry.integer(input, at: 0, size: 4)
        let rest = Array(input.dropFirst(4))
        let bytes = Array(rest.prefix(Int(length)))
        let chunk = Array(rest.dropFirst(Int(length)))
        guard let reading = DirectoryReading(bytes) else { return false }
        try PlainEntry(bytes).check(reading)
        let count = min(reading.chunks.first?.rowCount ?? 1, Self.maximumRows)
        if let rows = DirectoryReading.rows(ofChunk: chunk, count: count) {
            let expected = PlainEntry.rows(ofChunk: chunk, count: count)
            guard rows.together == expected, rows.singly == expected else {
                throw FuzzFinding("a chunk of \(count) rows is unpacked wrongly")
            }
        }
        return true
    }

    static func seeds() throws -> [FuzzSeed] {
        let folder = try ScratchFolder()
        let store = SectionCacheStore(directory: URL(filePath: folder.path + "/caches"))
        var seeds: [FuzzSeed] = []
        for (name, sizes) in [
            ("empty", []), ("one", [1]), ("sections", [3, 0, 7, 1]), ("chunks", [5_000, 4_000]),
        ] as [(String, [Int])] {
            guard let cacheName = try? CacheName(name) else {
                throw FuzzFinding("\(name) is not a cache name")
            }
            store.save(Self.index(sizes), for: Self.request(cacheName))
            guard store.waitForWrites(upTo: 30) else { throw FuzzFinding("the seeds cannot be saved") }
            let parts = try Self.entry(cacheName, in: folder.path + "/caches")
            let length = withUnsafeBytes(of: UInt32(parts.directory.count).littleEndian) { Array($0) }
            seeds.append(FuzzSeed(name, length + parts.directory + parts.chunk))
        }
        return seeds
    }

    private static func index(_ sizes: [Int]) -> SectionIndex {
        var builder = SectionIndex.Builder()
        var row: Int64 = 1
        for (position, size) in sizes.enumerated() {
            builder.beginSection(
                identity: Array("identity \(position)".utf8), name: "é \(position)",
                indexTitle: String("é".prefix(position)))
            for _ in 0..<size {
                builder.append(row)
                row = row &* 7 % 1_000_003
            }
        }
        return builder.finish()
    }

    private static func request(_ name: CacheName) -> SectionCacheRequest {
        SectionCacheRequest(
            name: name,
            request: CanonicalRequest(
                parts: [.init(name: "entity", bytes: [1, 2]), .init(name: "sort", bytes: [])],
                summary: "Song by title"),
            token: StoreToken(
                storeIdentity: Array(repeating: 1, count: 16), schemaDigest: Array(repeating: 2, count: 32),
                dependencies: [.init(name: "Song", state: Array(0..<24))]),
            authenticationKey: Array(repeating: 3, count: 32))
    }

    /// Returns the directory of the only entry of a cache and its first chunk, as they are stored.
    private static func entry(
        _ name: CacheName, in directory: String
    ) throws -> (directory: [UInt8], chunk: [UInt8]) {
        let environment = try DataFileTarget.open(directory)
        guard let database = try environment.existingDatabase(named: name.rawValue) else {
            throw FuzzFinding("the seed was not saved")
        }
        var values: [[UInt8]] = []
        try environment.read { (transaction) throws(LMDBError) in
            try transaction.forEach(in: database) { _, value in
                values.append(value.withUnsafeBytes { Array($0) })
                return values.count < 2
            }
        }
        // The key of a directory sorts before those of its chunks.
        return (values.first ?? [], values.count > 1 ? values[1] : [])
    }
}
