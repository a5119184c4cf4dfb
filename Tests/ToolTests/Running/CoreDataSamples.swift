import Foundation
import Testing

/// The directory of stores that Core Data wrote.
enum CoreDataSamples {
    /// The directory of the stores; nil if it is missing.
    static let folder: URL? = {
        let directories = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            RepositoryFile.url("../shared/data").standardizedFileURL,
        ]
        return directories.compactMap { $0?.appending(path: "coredata") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    static let reason: Comment =
        "SKIPPED: the stores of Core Data are missing. Set SECTIONED_FETCH_DATA to their directory."

    /// Copies a store with the files beside it to a directory, and returns the path of the copy.
    static func copy(_ path: String, to directory: ScratchDirectory) throws -> String {
        let source = try #require(folder).appending(path: path)
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: source.path + suffix) {
            let copy = directory.path(source.lastPathComponent) + suffix
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        }
        return directory.path(source.lastPathComponent)
    }

    /// The paths of all stores below the directory.
    static var paths: [String] {
        let names = folder.flatMap { try? FileManager.default.subpathsOfDirectory(atPath: $0.path) }
        return (names ?? []).filter { $0.hasSuffix(".sqlite") }.sorted()
    }
}
