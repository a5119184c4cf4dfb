import Foundation
import LMDB
import SectionCaching
import Testing

/// A place of its own for a test, removed when the test is done with it. The caches are in a folder inside.
final class TemporaryDirectory: Sendable {
    let root: String
    var path: String { root + "/caches" }
    var dataFile: String { path + "/data.mdb" }

    init() throws {
        root = NSTemporaryDirectory() + "section-caching-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func store(_ options: SectionCacheStore.Options = .init()) -> SectionCacheStore {
        SectionCacheStore(directory: URL(filePath: path), options: options)
    }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: dataFile))) }

    /// Puts a data file in the place of whatever is there.
    func replaceContents(_ bytes: [UInt8]) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Not by Foundation, which waits for the disk each time; thousands of these files are written.
        let descriptor = open(dataFile, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        // What says that the data file is a cache's.
        close(open(path + "/guard.lock", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    }

    /// The environment of the caches: the one that the store has open, if it is.
    func environment() throws -> Environment {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let status = try #require(FileStatus(descriptor: descriptor))
        return try EnvironmentRegistry.environment(
            path: path, key: status.identity,
            options: Environment.Options(mapSize: 256 << 20, maximumDatabases: 1_000, isReadOnly: false))
    }

    /// All keys and values of a named database.
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

    /// Stores a value behind the library's back.
    func put(_ value: [UInt8], for key: [UInt8], inCache name: String) throws {
        try environment().write { (transaction) throws(LMDBError) in
            try transaction.put(value, for: key, in: try transaction.database(creating: name))
        }
    }
}
