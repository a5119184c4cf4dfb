package import Foundation

/// A temporary directory, which is removed on deinitialization.
package final class TemporaryDirectory: Sendable {
    /// The directory.
    package let url: URL

    /// Creates an empty directory that only the current user can read.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of the directory.
    package var path: String { url.path }

    /// The location of a file in the directory, which may not exist.
    package func file(_ name: String) -> URL { url.appending(path: name) }

    /// Writes a file, or replaces its contents.
    ///
    /// Foundation waits for the disk on each write, which is slow in tests that write thousands of files.
    package static func writeFile(_ bytes: [UInt8], at path: String) throws {
        let descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
