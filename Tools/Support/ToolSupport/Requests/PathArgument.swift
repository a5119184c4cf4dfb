package import Foundation

/// A path as it is written on the command line.
package enum PathArgument {
    /// Returns the URL of the file that system calls would open for a path.
    ///
    /// Foundation would expand a leading `~`, which the shell has already done where intended, and would
    /// remove the directory before a `..`, which is wrong if that directory is a symbolic link.
    package static func url(_ path: String) -> URL {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let directory = FileManager.default.currentDirectoryPath
        // A removed working directory has no path; opening the file then reports the error.
        guard !isAbsolute, !directory.isEmpty else { return URL(filePath: path) }
        return URL(filePath: directory + "/" + path, directoryHint: .notDirectory)
    }
}
