import Foundation
import ToolSupport

/// Signals as bytes that can be waited for together with keys.
///
/// The signals are blocked, so that they interrupt nothing, and a thread waits for them (`sigwait`(3)).
/// Threads take over what their maker blocks, so make this before anything that starts threads.
final class SignalPipe {
    /// What ends the program, and what tells of another size.
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH]

    /// The one that tells of another size.
    static let resizing = SIGWINCH
    /// What Ctrl-C would send.
    static let interruption = SIGINT

    /// Readable when a signal came.
    let descriptor: Int32

    /// Blocks the signals and begins to wait for them, until the process ends.
    ///
    /// - Throws: ``ToolFailure`` if the system has no pipe left.
    init() throws(ToolFailure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ToolFailure("A pipe cannot be made: \(String(cString: strerror(errno))).")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        let sink = ends[1]
        var blocked = Self.set
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        // One that is ignored by default would be dropped on some systems although it is blocked.
        signal(SIGWINCH) { _ in }
        Thread.detachNewThread {
            var awaited = Self.set
            var number: Int32 = 0
            while sigwait(&awaited, &number) == 0 {
                var byte = UInt8(truncatingIfNeeded: number)
                // A full pipe holds signals enough.
                _ = write(sink, &byte, 1)
            }
        }
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
