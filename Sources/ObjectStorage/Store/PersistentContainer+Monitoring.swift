extension PersistentContainer {
    /// Monitors the store's files, and delivers external changes to the mailboxes of the contexts, as long as
    /// the result is referenced. All callers get the same monitor.
    ///
    /// - Parameter kind: The wakeup source for a new monitor; nil for the best available one.
    /// - Returns: Nil for a store in memory, which no other program can open, and if no thread can be
    ///   created. In the latter case an error is delivered to the mailboxes.
    /// - Complexity: O(*n*) in the number of the model's tables. It reads the control tables and starts a
    ///   thread.
    package func monitorStore(_ kind: ExternalChangeMonitor.Kind? = nil) -> ExternalChangeMonitor? {
        guard let path = filePath else { return nil }
        let monitor = sharedMonitor.current(orNew: {
            guard let monitoringConnection = connections.monitoringConnection else { return nil }
            return ExternalChangeMonitor(
                ExternalChangeDetector(
                    path: path, model: model, isTracked: isTracked, connections: connections,
                    mailboxes: mailboxes, history: history, through: monitoringConnection),
                Self.signal(kind, path: path))
        })
        monitor?.begin()
        if monitor == nil {
            mailboxes.deliver(
                ObjectStorageError(
                    .storeUnwatched,
                    "External changes of the store “\(path)” are not detected, because the system allows this program no more threads. Merge the changes explicitly, or start following them again later."
                ))
        }
        return monitor
    }

    /// Whether the store's files are being monitored.
    package var isMonitoringStore: Bool { sharedMonitor.current != nil }

    private static func signal(_ kind: ExternalChangeMonitor.Kind?, path: String) -> any WakeupSource {
        #if os(Linux) || os(Android)
        if kind != .regular, let signal = InotifySource(ofStoreAt: path) { return signal }
        #endif
        return PollingSource()
    }
}
