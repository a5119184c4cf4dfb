import Foundation
import LMDB

/// The keys and values of a cache, read and written without the cache store.
struct StoredValues {
    private let environment: Environment

    /// Opens the environment of a cache directory.
    ///
    /// - Parameter url: A cache directory whose environment this process may have open.
    init(of url: URL) throws { environment = try Self.environment(of: url, mapSize: 256 << 20) }

    static func environment(of url: URL, mapSize: Int) throws -> Environment {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else {
            throw FaultFinding("“\(url.path)” is not a directory")
        }
        return try EnvironmentRegistry.environment(
            path: url.path, key: status.identity,
            options: Environment.Options(mapSize: mapSize, maximumDatabases: 1_000, isReadOnly: false))
    }

    typealias Value = (key: [UInt8], value: [UInt8])

    /// Returns all values under a name in the order of their keys: first the directory of an entry, then its
    /// chunks.
    func values(ofCache name: String) throws -> [Value] {
        guard let database = try environment.existingDatabase(named: name) else { return [] }
        var values: [Value] = []
        try environment.read { (transaction) throws(LMDBError) in
            try transaction.forEach(in: database) { key, value in
                values.append((key, value.withUnsafeBytes { Array($0) }))
                return true
            }
        }
        return values
    }

    /// Replaces all values under a name.
    func replace(ofCache name: String, with values: [Value]) throws {
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: name)
            try transaction.removeAll(in: database)
            for value in values { try transaction.put(value.value, for: value.key, in: database) }
        }
    }
}
