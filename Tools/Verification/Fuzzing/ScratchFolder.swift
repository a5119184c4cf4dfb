import Foundation

/// A folder for files that are read once, in memory if the machine has such a file system. It is deleted with
/// its owner.
package final class ScratchFolder {
    /// The path of the folder.
    package let path: String

    /// Creates a folder.
    package init() throws {
        let memory = "/dev/shm"
        let base = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        path = base + "/fuzz-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // Files that cannot be deleted are in memory, and are lost with the next restart of the machine.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes bytes to a file with a name, and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = path + "/" + name
        // Not with Foundation, which syncs each file.
        let descriptor = open(file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ Foundation.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count
        else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    /// Removes the file with a name, if it exists.
    func remove(_ name: String) { unlink(path + "/" + name) }
}
