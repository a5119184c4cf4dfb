package import Foundation

/// A path as it is written on the command line.
package enum PathArgument {
    /// The file that the system calls mean by a path.
    ///
    /// Foundation would take a leading `~` for a home, which the shell has done already where it is meant,
    /// and the directory before a `..` away, which is another one if it is a link.
    package static func url(_ path: String) -> URL {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let directory = FileManager.default.currentDirectoryPath
        // Of a directory that was removed there is no path; whoever opens the file says so.
        guard !isAbsolute, !directory.isEmpty else { return URL(filePath: path) }
        return URL(filePath: directory + "/" + path, directoryHint: .notDirectory)
    }
}
