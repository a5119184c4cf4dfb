import Foundation
import Synchronization

extension Process {
    /// Waits until the process ends, and kills it after so many seconds.
    ///
    /// - Returns: Whether it ended by itself.
    func waitUntilExit(upTo seconds: Double) -> Bool {
        let identifier = processIdentifier
        let isLate = LateFlag()
        let guillotine = DispatchWorkItem {
            isLate.set()
            kill(identifier, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: guillotine)
        waitUntilExit()
        guillotine.cancel()
        return !isLate.isSet
    }
}

/// Whether something took too long, set by whoever watches the time.
private final class LateFlag: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}
