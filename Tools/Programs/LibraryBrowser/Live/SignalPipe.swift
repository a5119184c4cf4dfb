import Foundation
import ToolSupport

/// A pipe that delivers signals as bytes, so that the program can poll them together with keys.
///
/// The signals are blocked, so that they interrupt no system call, and a thread waits for them
/// (`sigwait`(3)). Threads inherit the blocked signals, so create this before any other thread.
final class SignalPipe {
    /// The signals that end the program, those that stop and continue it, and the one for a change of the
    /// terminal's size.
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

    /// The signal that Ctrl-Z sends in the terminal's normal mode.
    static let stopping = SIGTSTP
    /// The signal after which a stopped process continues.
    static let continuing = SIGCONT
    /// The signal for a change of the terminal's size.
    static let resizing = SIGWINCH
    /// The signal that Ctrl-C sends in the terminal's normal mode.
    static let interruption = SIGINT

    /// A file descriptor that is readable after a signal.
    let descriptor: Int32

    /// Blocks the signals and starts the thread that waits for them until the process ends.
    ///
    /// - Throws: ``ToolFailure`` if the system refuses a pipe.
    init() throws(ToolFailure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ToolFailure("Creating a pipe failed: \(String(cString: strerror(errno))).")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        let sink = ends[1]
        var blocked = Self.set
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        // Some systems drop a blocked signal whose default action is to ignore it; a handler prevents this.
        for number in [SIGWINCH, SIGCONT] { signal(number) { _ in } }
        Thread.detachNewThread {
            var awaited = Self.set
            var number: Int32 = 0
            while sigwait(&awaited, &number) == 0 {
                var byte = UInt8(truncatingIfNeeded: number)
                // If the pipe is full, the signals in it are sufficient.
                _ = write(sink, &byte, 1)
            }
        }
    }

    /// Stops the process until it receives the signal to continue, as its shell expects of Ctrl-Z. In a
    /// session without job control, nothing happens.
    static func stop() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, stopping)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // To this thread, because the waiting thread would take a signal to the process.
        pthread_kill(pthread_self(), stopping)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
