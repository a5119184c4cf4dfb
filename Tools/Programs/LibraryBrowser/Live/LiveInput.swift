import Foundation
import ToolSupport

/// What a live program waits for: keys, signals, changes of others, or that some time has passed.
struct LiveInput {
    enum Event {
        case bytes([UInt8])
        case signals([Int32])
        /// Others committed something.
        case news
        /// The terminal is gone.
        case end
        case timeout
    }

    private let signals: SignalPipe

    init(signals: SignalPipe) { self.signals = signals }

    /// Sleeps until something happens.
    ///
    /// - Parameters:
    ///   - timeout: At most so long; nil for as long as it takes.
    ///   - watch: What tells of changes of others.
    func wait(_ timeout: Duration?, _ watch: ChangeWatch) throws(ToolFailure) -> Event {
        var files = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Rounded up, so that it is not too early and then waits for nothing.
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

    private func read(_ descriptor: Int32) throws(ToolFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
            // A terminal that hung up gives this error to its readers.
            guard errno != EIO else { return [] }
            throw Self.failure()
        }
        return Array(bytes.prefix(count))
    }

    private static func failure() -> ToolFailure {
        ToolFailure("The terminal cannot be read: \(String(cString: strerror(errno))).")
    }
}
