import Foundation
import Synchronization

/// The last signal received, or zero. Initialized before a handler can be called.
private let receivedSignal = Atomic<Int32>(0)

/// The signals that request the end of a program, for tools that clean up before they end.
package enum Interruption {
    /// The signals.
    package static let signals = [SIGINT, SIGQUIT, SIGHUP, SIGTERM]

    /// The signal that was received, or nil if none was.
    package static var signal: Int32? {
        let number = receivedSignal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Records signals from now on, except those that the process ignores, as under `nohup`.
    ///
    /// - Parameter endsAtSecond: Whether a second signal ends the process immediately.
    package static func begin(endingAtSecond endsAtSecond: Bool = false) {
        receivedSignal.store(0, ordering: .relaxed)
        let note: @convention(c) (Int32) -> Void = { receivedSignal.store($0, ordering: .relaxed) }
        let noteOnce: @convention(c) (Int32) -> Void = {
            receivedSignal.store($0, ordering: .relaxed)
            _ = Foundation.signal($0, SIG_DFL)
        }
        for number in signals {
            let previous = Foundation.signal(number, endsAtSecond ? noteOnce : note)
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = Foundation.signal(number, SIG_IGN)
            }
        }
        // A process that was started by a thread with blocked signals inherits the blocked set.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in signals { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    }
}
