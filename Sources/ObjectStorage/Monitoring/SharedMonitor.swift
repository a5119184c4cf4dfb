import InternalUtilities

/// The monitor of a container's store, shared by all that use it and kept running while any of them exists.
final class SharedMonitor: Sendable {
    private struct State {
        weak var monitor: ExternalChangeMonitor?
    }

    private let state = LockedValue(State())

    /// The running monitor; nil if it is not in use.
    var current: ExternalChangeMonitor? { state.withLock { $0.monitor } }

    /// Returns the running monitor, or a new one, if it can be created.
    func current(orNew begin: () -> ExternalChangeMonitor?) -> ExternalChangeMonitor? {
        state.withLock { state in
            if let monitor = state.monitor { return monitor }
            let monitor = begin()
            state.monitor = monitor
            return monitor
        }
    }
}
