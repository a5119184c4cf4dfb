import Foundation
import Testing

/// The files of this package on disk.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A file with its path from the root of the package.
    struct File {
        let path: String
        let text: String
    }

    /// Returns the files below `directories` whose names end in one of `endings`, ordered by path.
    static func files(below directories: [String], withEndings endings: [String]) throws -> [File] {
        var files: [File] = []
        for directory in directories {
            let base = root.appendingPathComponent(directory)
            let names = try #require(FileManager.default.enumerator(atPath: base.path))
            for case let name as String in names where endings.contains(where: { name.hasSuffix($0) }) {
                let data = try Data(contentsOf: base.appendingPathComponent(name))
                let text = try #require(String(validating: data, as: UTF8.self), "\(name) is not UTF-8")
                files.append(File(path: directory + "/" + name, text: text))
            }
        }
        return files.sorted { $0.path < $1.path }
    }
}

/// A violation that a check found in a file.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    /// The line, counted from 1.
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// Records each finding as a separate failure, so that all of them are shown.
func report(_ findings: [Finding]) {
    for finding in findings {
        Issue.record("\(finding)")
    }
}
