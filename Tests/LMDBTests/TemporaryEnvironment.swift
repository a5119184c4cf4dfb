import CheckSupport
import Foundation
import LMDB

extension TemporaryDirectory {
    /// The path of LMDB's data file in the directory.
    var dataFile: String { path + "/data.mdb" }

    func environment(mapSize: Int = 64 << 20) throws -> Environment {
        try openEnvironment(path, mapSize: mapSize)
    }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: dataFile))) }

    /// Replaces the data file and removes the lock file, as if the data file were a copy from elsewhere.
    func replaceContents(_ bytes: [UInt8]) throws {
        for name in ["/data.mdb", "/lock.mdb"] { try? FileManager.default.removeItem(atPath: path + name) }
        try Self.writeFile(bytes, at: dataFile)
    }
}

/// Opens the environment of a directory, whose identity is looked up as a caller would.
func openEnvironment(_ path: String, mapSize: Int = 64 << 20) throws -> Environment {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    guard let status = FileStatus(descriptor: descriptor) else { throw CocoaError(.fileReadUnknown) }
    return try EnvironmentRegistry.environment(
        path: path, key: status.identity,
        options: Environment.Options(mapSize: mapSize, maximumDatabases: 64, isReadOnly: false))
}

/// Repeats an operation until it fails with neither `.busy` nor `.guarded`.
///
/// The library waits for other processes for at most 20 ms. A process that is suspended for longer between
/// closing the lock file and releasing the guard cannot be distinguished from one that uses no locks.
func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
        do {
            return try body()
        } catch let error as LMDBError where [.busy, .guarded].contains(error.code) {
            usleep(1_000)
        }
    }
}

/// The expected contents of an environment, kept in dictionaries.
struct Shadow {
    var databases: [String: [[UInt8]: [UInt8]]] = [:]

    /// Makes one transaction of random puts and removals, in the environment and in this value.
    mutating func change(
        _ environment: Environment, keys: Int = 400, using generator: inout SeededGenerator
    ) throws(LMDBError) {
        var next = self
        let names = ["a", "bc", "Ä", "a name that is longer than the others"]
        try environment.write { (transaction) throws(LMDBError) in
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                let name = names[Int.random(in: 0..<names.count, using: &generator)]
                let database = try transaction.database(creating: name)
                let kind = Int.random(in: 0..<100, using: &generator)
                var key = Array("key \(Int.random(in: 0..<keys, using: &generator))".utf8)
                if kind % 3 == 0 { key += [UInt8](repeating: 7, count: Int(key[4]) * 4) }
                if kind < 55 {
                    let sizes = [
                        0...40, 0...40, 0...40, 0...300, 500...1_900, 500...1_900, 2_000...9_000,
                        20_000...70_000,
                    ]
                    let range = sizes[Int.random(in: 0..<sizes.count, using: &generator)]
                    let value =
                        generator.bytes(4)
                        + [UInt8](repeating: UInt8(kind), count: Int.random(in: range, using: &generator))
                    try transaction.put(value, for: key, in: database)
                    next.databases[name, default: [:]][key] = value
                } else if kind < 99 {
                    try transaction.removeValue(for: key, in: database)
                    next.databases[name, default: [:]][key] = nil
                } else {
                    try transaction.removeAll(in: database)
                    next.databases[name] = [:]
                }
            }
        }
        self = next
    }

    /// Reads the contents of an environment.
    init(readingAll environment: Environment) throws(LMDBError) {
        for name in try environment.databaseNames() {
            guard let database = try environment.existingDatabase(named: name) else { continue }
            var found: [[UInt8]: [UInt8]] = [:]
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.forEach(in: database) { key, value in
                    found[key] = value.withUnsafeBytes { Array($0) }
                    return true
                }
            }
            databases[name] = found
        }
    }

    init() {}
}
