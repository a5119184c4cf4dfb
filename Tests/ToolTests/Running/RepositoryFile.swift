import Foundation

/// The files of the package that tests read.
enum RepositoryFile {
    /// The root of the package.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func url(_ path: String) -> URL { root.appending(path: path) }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }
}
