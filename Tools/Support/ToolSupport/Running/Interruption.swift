import Foundation
import Synchronization

/// Zero, or the signal that came. Made before a handler can be called.
private let receivedSignal = Atomic<Int32>(0)

/// The signals that ask a program to end, for tools that have to clean up behind them.
package enum Interruption {
    package static let signals = [SIGINT, SIGQUIT, SIGHUP, SIGTERM]

    /// The signal that came.
    package static var signal: Int32? {
        let number = receivedSignal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Takes note of signals from now on, but for those that the tool was told to ignore.
    ///
    /// - Parameter endsAtSecond: Whether a signal that comes again ends the process at once.
    package static func begin(endingAtSecond endsAtSecond: Bool = false) {
        receivedSignal.store(0, ordering: .relaxed)
        let note: @convention(c) (Int32) -> Void = { receivedSignal.store($0, ordering: .relaxed) }
        let noteOnce: @convention(c) (Int32) -> Void = {
            receivedSignal.store($0, ordering: .relaxed)
            _ = Foundation.signal($0, SIG_DFL)
        }
        for number in signals {
            let former = Foundation.signal(number, endsAtSecond ? noteOnce : note)
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = Foundation.signal(number, SIG_IGN)
            }
        }
        // Whoever was started by a thread that takes no signals has them blocked.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in signals { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    }
}
