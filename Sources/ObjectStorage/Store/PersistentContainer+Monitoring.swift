extension PersistentContainer {
    /// Watches the store's files, and delivers what other programs commit to the mailboxes of the contexts,
    /// as long as somebody holds what this gives. All who ask hold the same.
    ///
    /// - Parameter kind: What is to make it look, if nobody watches yet; nil for the better that can be had.
    /// - Returns: Nil for a store in memory, which nobody else can have open; and where there is no thread to
    ///   be had, which the mailboxes are told.
    /// - Complexity: O(*n*) in the number of the model's tables. It reads the control tables and starts a
    ///   thread.
    package func monitorStore(_ kind: ExternalChangeMonitor.Kind? = nil) -> ExternalChangeMonitor? {
        guard let path = filePath else { return nil }
        let monitor = sharedMonitor.current(orNew: {
            guard let monitoringConnection = connections.monitoringConnection else { return nil }
            return ExternalChangeMonitor(
                ExternalChangeDetector(path: path, model: model, isTracked: isTracked, connections: connections, mailboxes: mailboxes, through: monitoringConnection),
                Self.signal(kind, path: path))
        })
        monitor?.begin()
        if monitor == nil {
            mailboxes.deliver(
                ObjectStorageError(
                    .storeUnwatched,
                    "What other programs change in the store “\(path)” is not noticed, because the system gives this program no more threads. Merge it, or ask for it again later."
                ))
        }
        return monitor
    }

    /// Whether the store's files are being watched.
    package var isMonitoringStore: Bool { sharedMonitor.current != nil }

    private static func signal(_ kind: ExternalChangeMonitor.Kind?, path: String) -> any WakeupSource {
        #if os(Linux) || os(Android)
        if kind != .regular, let signal = InotifySource(ofStoreAt: path) { return signal }
        #endif
        return PollingSource()
    }
}
