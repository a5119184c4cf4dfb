import Foundation

/// The resolution of symbolic links, which SQLite follows: it keeps a log and a journal beside the target.
enum SymbolicLinks {
    /// Returns the path of the file to which a path leads, without opening the file; nil if it does not
    /// exist.
    static func target(of path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}
