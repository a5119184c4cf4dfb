package import Foundation

/// The directory that holds the stores.
package struct WorkFolder {
    package let url: URL
    private let isTemporary: Bool

    /// Makes the directory if it is not there.
    ///
    /// - Parameters:
    ///   - path: The directory, or nil for a new one that is temporary.
    ///   - isKept: Whether a temporary directory stays.
    ///   - name: What a temporary directory's name begins with.
    package init(path: String?, isKept: Bool, name: String) throws {
        isTemporary = path == nil && !isKept
        url =
            path.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func removeIfTemporary() {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Progress.note("“\(url.path)” could not be removed: \(error.localizedDescription)")
        }
    }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Removes a file or directory, if it is there.
    package func remove(_ name: String) throws {
        if exists(name) { try FileManager.default.removeItem(atPath: path(name)) }
    }

    /// Removes a database with what SQLite keeps beside it.
    package func removeDatabase(_ name: String) throws {
        for ending in ["", "-wal", "-shm", "-journal"] { try remove(name + ending) }
    }
}
