import CheckSupport
import Foundation
import LMDB
import SectionCaching
import Testing

/// A cache directory inside a temporary directory.
final class CacheFixture: Sendable {
    private let directory: TemporaryDirectory
    var root: String { directory.path }
    var path: String { root + "/caches" }
    var dataFile: String { path + "/data.mdb" }

    init() throws { directory = try TemporaryDirectory() }

    func store(_ options: SectionCacheStore.Options = .init()) -> SectionCacheStore {
        SectionCacheStore(directory: URL(filePath: path), options: options)
    }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: dataFile))) }

    /// Replaces the cache directory by one with this data file.
    func replaceContents(_ bytes: [UInt8]) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try TemporaryDirectory.writeFile(bytes, at: dataFile)
        // The lock file identifies the directory as a cache.
        try TemporaryDirectory.writeFile([], at: path + "/guard.lock")
    }

    /// The environment of the caches, shared with the store if that has it open.
    func environment() throws -> Environment {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let status = try #require(FileStatus(descriptor: descriptor))
        return try EnvironmentRegistry.environment(
            path: path, key: status.identity,
            options: Environment.Options(mapSize: 256 << 20, maximumDatabases: 1_000, isReadOnly: false))
    }

    /// Returns all keys and values of a named database.
    func values(ofCache name: String) throws -> [(key: [UInt8], value: [UInt8])] {
        let environment = try environment()
        let database = try #require(try environment.existingDatabase(named: name))
        var values: [(key: [UInt8], value: [UInt8])] = []
        try environment.read { (transaction) throws(LMDBError) in
            try transaction.forEach(in: database) { key, value in
                values.append((key, value.withUnsafeBytes { Array($0) }))
                return true
            }
        }
        return values
    }

    /// Stores a value without the cache store.
    func put(_ value: [UInt8], for key: [UInt8], inCache name: String) throws {
        try environment().write { (transaction) throws(LMDBError) in
            try transaction.put(value, for: key, in: try transaction.database(creating: name))
        }
    }
}
