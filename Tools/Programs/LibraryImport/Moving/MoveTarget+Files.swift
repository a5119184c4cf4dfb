import Foundation
import SectionedFetch
import ToolSupport

/// The files of a move.
extension MoveTarget {
    /// The endings of the names of a database and of the files that SQLite keeps beside it. The database is
    /// the first that is deleted, because SQLite drops a log without one.
    private static let endings = ["", "-wal", "-shm", "-journal"]

    /// Throws an error if opening a file would wait for another program, or would change a file of the store
    /// to move.
    func checkFiles() throws(ToolFailure) {
        let (new, source) = (Self.fullPath(path), Self.fullPath(sourcePath))
        for file in [source, new].flatMap({ base in Self.endings.map { base + $0 } }) {
            guard let status = Self.status(of: file), status.st_mode & S_IFMT != S_IFREG,
                status.st_mode & S_IFMT != S_IFDIR
            else { continue }
            throw ToolFailure(
                "“\(file)” is not a regular file, but a pipe, a socket or a device. Nothing was changed. Pass the path of a file."
            )
        }
        guard !Self.areEqual(new, source) else {
            throw ToolFailure("“\(path)” and --from name the same file. Pass the path of a new file.")
        }
        for (first, second) in Self.endings.flatMap({ first in Self.endings.map { (first, $0) } })
        where Self.areEqual(new + first, source + second) {
            throw ToolFailure(
                "SQLite uses “\(source + second)” both for “\(path)” and for “\(sourcePath)”. Nothing was changed. Pass another path for the new store."
            )
        }
    }

    /// Deletes the files of an unfinished store.
    func deleteFiles() throws(ToolFailure) {
        let file = Self.fullPath(path)
        for ending in Self.endings {
            // A file that does not exist is not an error.
            guard unlink(file + ending) != 0, errno != ENOENT else { continue }
            throw ToolFailure(
                "“\(file + ending)” cannot be deleted: \(String(cString: strerror(errno))). Check that its directory is writable."
            )
        }
    }

    /// Returns the absolute path of a file without symbolic links. The file need not exist.
    static func fullPath(_ path: String) -> String {
        var path = PathArgument.url(path).path
        // The number of links that the system follows.
        for _ in 0..<40 {
            if let real = realPath(path) { return real }
            let url = URL(filePath: path)
            let directory = url.deletingLastPathComponent().path
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                return (realPath(directory) ?? directory) + "/" + url.lastPathComponent
            }
            path = link.hasPrefix("/") ? link : directory + "/" + link
        }
        return path
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func areEqual(_ first: String, _ second: String) -> Bool {
        guard let one = status(of: first), let other = status(of: second) else { return first == second }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }
}
