import CheckSupport
import Foundation

/// Stores that Core Data wrote, in the directory that `SECTIONED_FETCH_DATA` names, or in `shared/data`
/// beside the package. Without them, tests are skipped.
enum SampleStore {
    /// The directory of the stores; nil if it is missing.
    static let directory: URL? = {
        var package = URL(filePath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        let directories = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            package.deletingLastPathComponent().appending(path: "shared/data"),
        ]
        return directories.compactMap { $0?.appending(path: "coredata") }
            .first { FileManager.default.fileExists(atPath: $0.appending(path: "read_store.py").path) }
    }()

    /// Whether the stores and an interpreter for the oracle exist.
    static let isThere = directory != nil && Python.path != nil

    /// The paths of all stores below the directory.
    static let paths = [
        "bnr-coredatastack/TestModel.sqlite", "carekit/SampleStore2.0.sqlite",
        "coredataplus/SampleModel/SampleModel_V1.sqlite", "coredataplus/SampleModel/SampleModel_V2.sqlite",
        "coredataplus/SampleModel2/SampleModel2_V1.sqlite",
        "coredataplus/SampleModel2/SampleModel2_V2.sqlite",
        "coredataplus/SampleModel3/SampleModel3_V1.sqlite", "duckduckgo-bookmarks/Bookmarks_V1.sqlite",
        "duckduckgo-bookmarks/Bookmarks_V2.sqlite", "duckduckgo-bookmarks/Bookmarks_V3.sqlite",
        "duckduckgo-bookmarks/Bookmarks_V4.sqlite", "duckduckgo-bookmarks/Bookmarks_V5.sqlite",
        "duckduckgo-syncmetadata/SyncMetadata_V3.sqlite", "photos-empty-ventura/Photos.sqlite",
    ]

    /// Returns the location of a file among the samples.
    static func url(_ path: String) -> URL {
        (directory ?? URL(filePath: "/nonexistent")).appending(path: path)
    }

    /// Copies a store with the files beside it, and returns the copy's location.
    static func copy(_ path: String, to directory: TemporaryDirectory) throws -> URL {
        let source = url(path)
        for suffix in ["", "-wal", "-shm"] {
            let file = URL(filePath: source.path + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            let copy = directory.file(file.lastPathComponent)
            try FileManager.default.copyItem(at: file, to: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
        }
        return directory.file(source.lastPathComponent)
    }

    /// The names, bytes and modification times of all files in a directory.
    static func contents(of directory: URL) throws -> [String: [String]] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        return try names.reduce(into: [:]) { contents, name in
            let file = directory.appending(path: name)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let bytes =
                attributes[.type] as? FileAttributeType == .typeRegular ? try Data(contentsOf: file) : nil
            contents[name] = [
                bytes.map { $0.base64EncodedString() } ?? "", "\(attributes[.modificationDate] ?? "")",
            ]
        }
    }

    /// Executes SQL with Python, which has none of Core Data's functions.
    static func execute(_ sql: String, in store: URL) throws {
        _ = try Python.output(
            of: """
                import sqlite3, sys
                c = sqlite3.connect(sys.argv[1], isolation_level=None)
                c.executescript(sys.argv[2])
                c.close()
                """, [store.path, sql])
    }
}
