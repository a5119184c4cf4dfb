import InternalUtilities

/// Has a container's store watched as long as somebody wants to hear of what other programs commit.
final class SharedMonitor: Sendable {
    private struct State {
        weak var monitor: ExternalChangeMonitor?
    }

    private let state = LockedValue(State())

    /// The monitor that goes on now; nil if nobody wants to hear.
    var current: ExternalChangeMonitor? { state.withLock { $0.monitor } }

    /// The monitor that goes on now, or the one that begins with this, if it can.
    func current(orNew begin: () -> ExternalChangeMonitor?) -> ExternalChangeMonitor? {
        state.withLock { state in
            if let monitor = state.monitor { return monitor }
            let monitor = begin()
            state.monitor = monitor
            return monitor
        }
    }
}
