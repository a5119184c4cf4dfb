import Foundation
import Synchronization

extension Process {
    /// Waits until the process ends, and kills it after a number of seconds.
    ///
    /// - Returns: Whether it ended by itself.
    func waitUntilExit(upTo seconds: Double) -> Bool {
        let identifier = processIdentifier
        let isLate = LateFlag()
        let timeout = DispatchWorkItem {
            isLate.set()
            kill(identifier, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: timeout)
        waitUntilExit()
        timeout.cancel()
        return !isLate.isSet
    }
}

/// A flag that the timer sets when the time is over.
private final class LateFlag: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}
