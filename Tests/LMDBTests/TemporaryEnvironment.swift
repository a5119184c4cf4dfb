import CheckSupport
import Foundation
import LMDB

/// A directory of its own for a test, removed when the test is done with it.
final class TemporaryDirectory: Sendable {
    let path: String
    var dataFile: String { path + "/data.mdb" }

    init() throws {
        path = NSTemporaryDirectory() + "lmdb-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func environment(mapSize: Int = 64 << 20) throws -> Environment {
        try openEnvironment(path, mapSize: mapSize)
    }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: dataFile))) }

    /// Writes a data file as a copy of which nothing else is known.
    func replaceContents(_ bytes: [UInt8]) throws {
        for name in ["/data.mdb", "/lock.mdb"] { try? FileManager.default.removeItem(atPath: path + name) }
        // Not by Foundation, which waits for the disk each time; thousands of these files are written.
        let descriptor = open(dataFile, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
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

/// Does something again for as long as somebody else is in the way, whom the library waits for no longer than
/// 20 ms.
///
/// Who is stopped for longer between closing the lock file and giving up the guard cannot be told from one
/// who uses no locks.
func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
        do {
            return try body()
        } catch let error as LMDBError where [.busy, .guarded].contains(error.code) {
            usleep(1_000)
        }
    }
}

/// What an environment should hold, kept beside it in dictionaries.
struct Shadow {
    var databases: [String: [[UInt8]: [UInt8]]] = [:]

    /// One transaction of random puts and removals, made in the environment and here.
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

    /// What an environment holds.
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
