/// Has a container's store watched as long as somebody wants to hear of what other programs commit.
final class StoreWatcher: Sendable {
    private struct State {
        weak var watch: StoreWatch?
    }

    private let state = LockedValue(State())

    /// The watch that goes on now; nil if nobody wants to hear.
    var current: StoreWatch? { state.withLock { $0.watch } }

    /// The watch that goes on now, or the one that begins with this, if it can.
    fileprivate func current(orNew begin: () -> StoreWatch?) -> StoreWatch? {
        state.withLock { state in
            if let watch = state.watch { return watch }
            let watch = begin()
            state.watch = watch
            return watch
        }
    }
}

extension PersistentContainer {
    /// Watches the store's files, and delivers what other programs commit to the mailboxes of the contexts,
    /// as long as somebody holds what this gives. All who ask hold the same.
    ///
    /// - Parameter kind: What is to make it look, if nobody watches yet; nil for the better that can be had.
    /// - Returns: Nil for a store in memory, which nobody else can have open; and where there is no thread to
    ///   be had, which the mailboxes are told.
    /// - Complexity: O(*n*) in the number of the model's tables. It reads the control tables and starts a
    ///   thread.
    package func watchStore(_ kind: StoreWatch.Kind? = nil) -> StoreWatch? {
        guard let path = filePath else { return nil }
        let watch = watcher.current(orNew: {
            guard let sight = connections.sight else { return nil }
            return StoreWatch(StoreLooker(self, path: path, through: sight), Self.signal(kind, path: path))
        })
        watch?.begin()
        if watch == nil {
            mailboxes.deliver(
                ObjectStorageError(
                    .storeUnwatched,
                    "What other programs change in the store “\(path)” is not noticed, because the system gives this program no more threads. Merge it, or ask for it again later."
                ))
        }
        return watch
    }

    /// Whether the store's files are being watched.
    package var isWatchingStore: Bool { watcher.current != nil }

    private static func signal(_ kind: StoreWatch.Kind?, path: String) -> any StoreSignal {
        #if os(Linux) || os(Android)
        if kind != .regular, let signal = FileSignal(ofStoreAt: path) { return signal }
        #endif
        return RegularSignal()
    }
}
