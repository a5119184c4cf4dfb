import Foundation

/// Standard output, buffered and written in large pieces.
///
/// After its reader closes the pipe, further output is dropped silently, so that a tool can finish its work.
/// Any other failure is reported at the end: output on a full disk must not look complete.
package struct StandardOutput {
    private var buffer: [UInt8] = []
    private var failureCode: Int32?
    /// Whether all output stays in the buffer, for example while the tool holds a lock that a slow reader of
    /// the output must not prolong.
    package var isHeldBack = false

    /// Creates an output with an empty buffer.
    package init() {}

    /// Whether writing failed, so that further output is dropped.
    package var isClosed: Bool { failureCode != nil }

    /// Appends text to the buffer, and writes the buffer when it reaches 64 KiB.
    package mutating func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes the buffer, unless output is held back.
    package mutating func flush() {
        guard !isHeldBack else { return }
        var rest = buffer[...]
        while !rest.isEmpty, failureCode == nil {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                failureCode = errno
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest of the output.
    ///
    /// - Throws: ``ToolFailure`` if writing failed for a reason other than a closed pipe.
    package mutating func finish() throws(ToolFailure) {
        isHeldBack = false
        flush()
        if let failureCode, failureCode != EPIPE {
            throw ToolFailure("Standard output cannot be written: \(String(cString: strerror(failureCode))).")
        }
    }

    /// Writes the rest of the output and reports a failure on standard error.
    ///
    /// - Returns: Whether writing succeeded.
    mutating func finish(reportingAs name: String) -> Bool {
        do {
            try finish()
            return true
        } catch {
            writeToStandardError("\(name): \(error.message)\n")
            return false
        }
    }
}
