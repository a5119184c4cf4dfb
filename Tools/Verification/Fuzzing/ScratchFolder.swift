import Foundation

/// A folder in memory where the machine has one, for files that are read once. It goes with its owner.
package final class ScratchFolder {
    /// Where it is.
    package let path: String

    /// Makes one.
    package init() throws {
        let memory = "/dev/shm"
        let base = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        path = base + "/fuzz-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // What is left of it is in memory, and gone with the machine at the latest.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the file of a name hold some bytes, and gives its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = path + "/" + name
        // Not by Foundation, which waits for the disk each time.
        let descriptor = open(file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ Foundation.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count
        else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    /// Removes the file of a name if it is there.
    func remove(_ name: String) { unlink(path + "/" + name) }
}
