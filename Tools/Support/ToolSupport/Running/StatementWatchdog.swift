package import Foundation
import SectionedFetch
import Synchronization

/// Ends a tool when one statement on a store takes too long without SQLite calling back.
///
/// A statement is broken off between two steps of SQLite's machine (`StoreLimits`). A function that a file
/// has SQLite call with long texts, such as `replace`, is one step, which nothing breaks off: then the
/// process ends, with the message and the status of any other statement that exceeds the limit. Transactions
/// that were not committed are undone by the next program that opens the store.
///
/// The timer counts processor time of the process (`setitimer(2)`, `ITIMER_PROF`) and needs no thread.
package enum StatementWatchdog {
    /// Begins to watch, once for a process.
    ///
    /// - Parameter seconds: The processor time that one step of a statement may take.
    package static func begin(seconds: Double) {
        guard state.limit.load(ordering: .relaxed) == 0 else { return }
        let name = (CommandLine.arguments.first as NSString?)?.lastPathComponent ?? "tool"
        let words =
            "\(name): A statement on the store exceeded a limit: one step of it took more than \(seconds) s of processor time (statementSeconds). Raise the limit if the store is trusted; else do without the store. The option --max-seconds raises it.\n"
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

    /// Remembers how a terminal was before a program took it over.
    ///
    /// - Parameters:
    ///   - settings: Its settings.
    ///   - text: What is written to it before they are set.
    package static func restoreTerminal(_ settings: termios, writing text: String) {
        let kept = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        kept.initialize(to: settings)
        state.farewell.store(copy(text), ordering: .relaxed)
        state.settings.store(UInt(bitPattern: kept), ordering: .releasing)
    }

    /// Called by a signal: takes no lock and no memory.
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

    /// The address of a copy that stays, ended by a NUL.
    private static func copy(_ text: String) -> UInt { UInt(bitPattern: strdup(text)) }

    /// What the signal's handler reads, made before it can be called. Texts and settings by their addresses.
    private struct State: ~Copyable {
        /// In seconds; 0 before anything is watched.
        let limit = Atomic<Int>(0)
        let ticks = Atomic<Int>(0)
        let lastBeats = Atomic<Int>(0)
        let message = Atomic<UInt>(0)
        let farewell = Atomic<UInt>(0)
        let settings = Atomic<UInt>(0)
    }

    private static let state = State()
}
