import Foundation

/// A copy of a file that can be read only once, for several readings.
///
/// The copy has no name, so it disappears with the process.
public final class InputCopy: Sendable {
    /// The descriptor of the copy. Its offset is not used.
    let descriptor: Int32

    /// Copies standard input for the path `-`, and otherwise a pipe or a device.
    ///
    /// - Parameter maximumSize: The largest number of bytes that are copied, or nil for no limit.
    /// - Throws: ``RecordError`` if the file cannot be read, is too large, or the copy cannot be written.
    /// - Complexity: O(*n*) in the bytes. Memory does not depend on their number.
    public convenience init(path: String, maximumSize: Int? = nil) throws(RecordError) {
        try self.init(of: FileInput(path: path, copy: nil), maximumSize: maximumSize)
    }

    init(of input: FileInput, maximumSize: Int?) throws(RecordError) {
        let directory = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var template = Array((directory + "/library-import-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw RecordError(
                unreadable: input.name,
                "it can be read only once, and no copy can be made in “\(directory)” (\(String(cString: strerror(errno)))); set TMPDIR, or pass --mapping"
            )
        }
        unlink(template)
        do throws(RecordError) {
            try fill(from: input, maximumSize: maximumSize ?? .max)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private func fill(from input: FileInput, maximumSize: Int) throws(RecordError) {
        let capacity = 256 << 10
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        while true {
            let count = try input.read(into: buffer, capacity: capacity)
            guard count > 0 else { return }
            guard input.position <= maximumSize else {
                throw RecordError(
                    file: input.name, line: 0,
                    reason: .limit("the file has more than \(maximumSize) bytes"), isFatal: true)
            }
            var written = 0
            while written < count {
                let part = write(descriptor, buffer + written, count - written)
                if part < 0, errno == EINTR { continue }
                guard part > 0 else {
                    throw RecordError(
                        unreadable: input.name,
                        "its copy in a temporary file cannot be written (\(String(cString: strerror(errno)))); set TMPDIR, or pass --mapping"
                    )
                }
                written += part
            }
        }
    }
}

extension InputCopy: Hashable {
    public static func == (first: InputCopy, second: InputCopy) -> Bool { first === second }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
