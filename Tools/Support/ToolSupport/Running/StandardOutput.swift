import Foundation

/// Standard output, collected and written in large pieces.
///
/// When its reader goes away, the rest is dropped quietly, so that a tool can still finish its work. Any
/// other failure is kept and reported at the end: output on a full disk must not look complete.
package struct StandardOutput {
    private var buffer: [UInt8] = []
    private var failureCode: Int32?
    /// Whether everything is collected and nothing written, as while a lock is held that a slow reader of the
    /// output must not extend.
    package var isHeldBack = false

    /// Begins with nothing collected.
    package init() {}

    /// Whether nothing more can be written, so that going on is in vain.
    package var isClosed: Bool { failureCode != nil }

    /// Collects text, and writes it when there is much of it.
    package mutating func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes what was collected.
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

    /// Writes the rest.
    ///
    /// - Throws: ``ToolFailure`` if not everything was written for another reason than that nobody reads it.
    package mutating func finish() throws(ToolFailure) {
        isHeldBack = false
        flush()
        if let failureCode, failureCode != EPIPE {
            throw ToolFailure("Standard output cannot be written: \(String(cString: strerror(failureCode))).")
        }
    }

    /// Writes the rest and reports a failure on standard error.
    ///
    /// - Returns: Whether all is well.
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
