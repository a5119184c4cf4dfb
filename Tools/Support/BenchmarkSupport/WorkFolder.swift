package import Foundation

/// The directory with the stores of a benchmark.
package struct WorkFolder {
    /// The location of the directory.
    package let url: URL
    private let isTemporary: Bool

    /// Creates the directory if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The directory, or nil for a new temporary directory.
    ///   - isKept: Whether a temporary directory is kept after the benchmark.
    ///   - name: The prefix of a temporary directory's name.
    package init(path: String?, isKept: Bool, name: String) throws {
        isTemporary = path == nil && !isKept
        url =
            path.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Removes the directory if it is temporary and not kept.
    package func removeIfTemporary() {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Progress.note("“\(url.path)” could not be removed: \(error.localizedDescription)")
        }
    }

    /// Returns the path of a file in the directory.
    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Returns whether a file exists in the directory.
    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Removes a file or directory if it exists.
    package func remove(_ name: String) throws {
        if exists(name) { try FileManager.default.removeItem(atPath: path(name)) }
    }

    /// Removes a database and the files that SQLite keeps beside it.
    package func removeDatabase(_ name: String) throws {
        for ending in ["", "-wal", "-shm", "-journal"] { try remove(name + ending) }
    }
}
