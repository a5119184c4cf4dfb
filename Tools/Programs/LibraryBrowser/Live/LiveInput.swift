import Foundation
import ToolSupport

/// The events of a live list: keys, signals, external changes and timeouts.
struct LiveInput {
    enum Event {
        case bytes([UInt8])
        case signals([Int32])
        /// Another program committed a change.
        case news
        /// The terminal was closed.
        case end
        case timeout
    }

    private let signals: SignalPipe

    init(signals: SignalPipe) { self.signals = signals }

    /// Waits for the next event.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait, or nil for no limit.
    ///   - watch: The source of external changes.
    /// - Throws: ``ToolFailure`` if the terminal cannot be read.
    func wait(_ timeout: Duration?, _ watch: ChangeWatch) throws(ToolFailure) -> Event {
        var files = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Rounded up, so that the wait does not end before the timeout.
        let milliseconds = timeout.map {
            max(0, Int32(clamping: Int((Quantity.seconds($0) * 1_000).rounded(.up))))
        }
        let count = poll(&files, nfds_t(files.count), milliseconds ?? -1)
        guard count > 0 else {
            guard count == 0 || errno == EINTR else { throw Self.failure() }
            return .timeout
        }
        if files[0].revents != 0 { return .signals(try read(signals.descriptor).map { Int32($0) }) }
        guard files[1].revents != 0 else { return .news }
        let bytes = try read(STDIN_FILENO)
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// Whether the terminal has bytes that were not read yet.
    var hasBytes: Bool {
        var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, 0) > 0
    }

    private func read(_ descriptor: Int32) throws(ToolFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
            // Reading from a terminal that hung up fails with this error.
            guard errno != EIO else { return [] }
            throw Self.failure()
        }
        return Array(bytes.prefix(count))
    }

    private static func failure() -> ToolFailure {
        ToolFailure("The terminal cannot be read: \(String(cString: strerror(errno))).")
    }
}
