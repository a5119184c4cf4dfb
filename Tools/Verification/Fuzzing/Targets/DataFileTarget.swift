import Foundation
import LMDB
import CheckSupport

/// The data file of an environment, which is checked, opened, read to its end, and written to.
struct DataFileTarget: FuzzTarget {
    static let name = "data-file"
    static let summary = "LMDB data files, with the check of their structure"
    static let words: [[UInt8]] = [
        [0xDE, 0xC0, 0xEF, 0xBE], [1, 0, 0, 0], [2, 0], [4, 0], [8, 0], [0x10, 0], [0, 0x10, 0, 0],
        Array(repeating: 0xFF, count: 8), Array(repeating: 0, count: 16),
    ]
    private static let mapSize = 16 << 20

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func run(_ input: [UInt8]) throws -> Bool {
        folder.remove("lock.mdb")
        _ = try folder.write(input, to: "data.mdb")
        do {
            let environment = try Self.open(folder.path)
            try readAll(environment)
            try write(to: environment)
            try readAll(environment)
            return true
        } catch is LMDBError {
            // Refusing the file is the purpose of the check.
            return false
        }
    }

    private func readAll(_ environment: Environment) throws {
        var sum: UInt64 = 0
        for name in try environment.databaseNames() {
            guard let database = try environment.existingDatabase(named: name) else { continue }
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.forEach(in: database) { key, value in
                    // Reads every byte, so that a byte outside the map would crash.
                    for byte in key { sum &+= UInt64(byte) }
                    value.withUnsafeBytes { for byte in $0 { sum &+= UInt64(byte) } }
                    return true
                }
            }
        }
    }

    private func write(to environment: Environment) throws {
        let key = Array("a key of its own".utf8)
        let value = Array(repeating: UInt8(7), count: 9_000)
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: "fuzz")
            try transaction.put(value, for: key, in: database)
        }
        guard let database = try environment.existingDatabase(named: "fuzz") else {
            throw FuzzFinding("a created database is not found")
        }
        let found = try environment.read { (transaction) throws(LMDBError) in
            try transaction.withValue(of: key, in: database) { $0.withUnsafeBytes { Array($0) } }
        }
        guard found == value else { throw FuzzFinding("the value read differs from the value written") }
    }

    /// Opens the environment of a directory, as the library does.
    static func open(_ path: String) throws -> Environment {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else {
            throw FuzzFinding("“\(path)” is not a directory")
        }
        return try EnvironmentRegistry.environment(
            path: path, key: status.identity,
            options: .init(mapSize: mapSize, maximumDatabases: 64, isReadOnly: false))
    }

    static func seeds() throws -> [FuzzSeed] {
        var seeds: [FuzzSeed] = []
        for (name, commits, values) in [("fresh", 1, 0), ("small", 1, 8), ("churned", 3, 14)] {
            let folder = try ScratchFolder()
            do {
                let environment = try open(folder.path)
                for commit in 0..<commits {
                    try environment.write { (transaction) throws(LMDBError) in
                        for number in 0..<values {
                            let database = try transaction.database(creating: "cache \(number % 3)")
                            let size = number % 7 == 6 ? 5_000 : 20 + number
                            try transaction.put(
                                Array(repeating: UInt8(truncatingIfNeeded: commit), count: size),
                                for: Array("key \((number * 7 + commit) % (values + 9))".utf8), in: database)
                        }
                    }
                }
            }
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/data.mdb")))
            seeds.append(FuzzSeed(name, bytes))
        }
        // Damage that is known to make liblmdb fail, so that not all first inputs are sound.
        var generator = SeededGenerator(seed: 7)
        for damage in [Damage.headerBits, .headerBytes, .swappedPage, .metaByte, .truncatedAtPage] {
            seeds.append(FuzzSeed("\(damage)", damage.apply(to: seeds[2].bytes, using: &generator)))
        }
        return seeds
    }
}
