package import Foundation
import SectionedFetch
import Synchronization

/// A timer that ends a tool when a statement on a store runs too long without calling the progress handler.
///
/// SQLite can interrupt a statement between two steps of its virtual machine (`StoreLimits`). A function that
/// a file has SQLite call with long texts, such as `replace`, is one step, which cannot be interrupted. Then
/// the process ends, with the message and the status of any other statement that exceeds the limit. The next
/// program that opens the store rolls back uncommitted transactions.
///
/// The timer counts processor time of the process (`setitimer(2)`, `ITIMER_PROF`) and needs no thread.
package enum StatementWatchdog {
    /// Starts the timer, once for each process.
    ///
    /// - Parameter seconds: The processor time that one step of a statement may take.
    package static func begin(seconds: Double) {
        guard state.limit.load(ordering: .relaxed) == 0 else { return }
        let name = (ProgramArguments.all.first as NSString?)?.lastPathComponent ?? "tool"
        let words =
            "\(name): A statement on the store exceeded a limit: one step of it took more than \(seconds) s of processor time (statementSeconds). Raise the limit if the store is trusted; otherwise do not use the store. The option --max-seconds raises it.\n"
        state.message.store(copy(words), ordering: .relaxed)
        state.limit.store(max(1, Int(seconds.rounded(.up))), ordering: .releasing)
        var action = sigaction()
        let handler: @convention(c) (Int32) -> Void = { _ in StatementWatchdog.tick() }
        #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
        #else
        action.__sigaction_u.__sa_handler = handler
        #endif
        action.sa_flags = Int32(SA_RESTART)
        sigaction(SIGPROF, &action, nil)
        let second = timeval(tv_sec: 1, tv_usec: 0)
        var timer = itimerval(it_interval: second, it_value: second)
        #if canImport(Glibc)
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
        #else
        setitimer(ITIMER_PROF, &timer, nil)
        #endif
    }

    /// Records the previous state of a terminal, to be restored before the timer ends the process.
    ///
    /// - Parameters:
    ///   - settings: The settings of the terminal.
    ///   - text: The control sequences to write to the terminal before the settings are restored.
    package static func restoreTerminal(_ settings: termios, writing text: String) {
        let kept = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        kept.initialize(to: settings)
        state.farewell.store(copy(text), ordering: .relaxed)
        state.settings.store(UInt(bitPattern: kept), ordering: .releasing)
    }

    /// Handles the timer's signal. Takes no lock and allocates no memory.
    private static func tick() {
        let beats = StatementPulse.beats
        let isAlive = !StatementPulse.isRunning || beats != state.lastBeats.load(ordering: .relaxed)
        state.lastBeats.store(beats, ordering: .relaxed)
        guard !isAlive else { return state.ticks.store(0, ordering: .relaxed) }
        let ticks = state.ticks.load(ordering: .relaxed) + 1
        state.ticks.store(ticks, ordering: .relaxed)
        guard ticks > state.limit.load(ordering: .acquiring) else { return }
        if let settings = UnsafePointer<termios>(bitPattern: state.settings.load(ordering: .acquiring)) {
            write(state.farewell.load(ordering: .relaxed), to: STDOUT_FILENO)
            tcsetattr(STDIN_FILENO, TCSANOW, settings)
        }
        write(state.message.load(ordering: .relaxed), to: STDERR_FILENO)
        _exit(ToolExit.failure)
    }

    private static func write(_ address: UInt, to descriptor: Int32) {
        guard let text = UnsafePointer<CChar>(bitPattern: address) else { return }
        _ = Foundation.write(descriptor, text, strlen(text))
    }

    /// Returns the address of a NUL-terminated copy that is never freed.
    private static func copy(_ text: String) -> UInt { UInt(bitPattern: strdup(text)) }

    /// The data that the signal handler reads, initialized before the handler can be called. Texts and
    /// settings are stored as addresses.
    private struct State: ~Copyable {
        /// The limit in seconds, or 0 before the timer starts.
        let limit = Atomic<Int>(0)
        let ticks = Atomic<Int>(0)
        let lastBeats = Atomic<Int>(0)
        let message = Atomic<UInt>(0)
        let farewell = Atomic<UInt>(0)
        let settings = Atomic<UInt>(0)
    }

    private static let state = State()
}
