import Foundation

/// A file in a separate directory, which is deleted with this object.
final class TemporaryFile {
    let path: String
    private let directory: URL

    init(_ bytes: some Sequence<UInt8>, name: String = "records") throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "record-reading-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let file = directory.appending(path: name)
        try Data(bytes).write(to: file)
        path = file.path(percentEncoded: false)
    }

    convenience init(_ text: String, name: String = "records") throws { try self.init(text.utf8, name: name) }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
