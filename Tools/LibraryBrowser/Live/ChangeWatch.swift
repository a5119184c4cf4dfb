import SectionedFetch

/// Brings what others committed to a context: the one place that knows how that is noticed.
///
/// The store's tables have a state that every commit replaces. It is read every 200 ms, which takes some tens of microseconds; only if it is
/// another one is the context asked to merge. Where tables have no state, because a program without this library wrote to them, they
/// are sealed to give them one; where that cannot be done, there is nothing to compare, and each look merges.
struct ChangeWatch {
    private static let interval = Duration.milliseconds(200)
    /// After a merge there is a pause of several times its length, so that keys are answered while another program writes, but none in
    /// which somebody who waits for news would give up.
    private static let pausesPerMerge = 4
    private static let longestPause = Duration.seconds(2)

    private let context: ManagedObjectContext
    private let tableNames: [String]
    private var known: StoreState?
    private var nextLook = ContinuousClock.now

    /// Watches from now on. Make it before the fetch whose results are to be followed.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    init(_ context: ManagedObjectContext) throws(ObjectStorageError) {
        self.context = context
        tableNames = Set(context.container.model.entities.map(\.tableName)).sorted()
        known = try sealedState()
    }

    /// How long there is nothing to do.
    var timeUntilNextLook: Duration { max(.zero, nextLook - .now) }

    /// Looks, if it is time to, and merges what there is.
    ///
    /// - Returns: What was merged; nil if there was nothing.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read now. The next look tries again.
    mutating func mergeNews() throws(ObjectStorageError) -> StoreChanges? {
        let start = ContinuousClock.now
        guard start >= nextLook else { return nil }
        nextLook = start + Self.interval
        defer {
            let pause = min((.now - start) * Self.pausesPerMerge, Self.longestPause)
            nextLook = max(nextLook, .now + pause)
        }
        let state = try sealedState()
        guard state == nil || state != known else { return nil }
        let changes = try context.mergeChangesFromStore()
        known = state
        return changes.isEmpty ? nil : changes
    }

    private func sealedState() throws(ObjectStorageError) -> StoreState? {
        let container = context.container
        switch try container.state(of: tableNames) {
        case .sealed(let state): return state
        case .untracked: return nil
        case .unsealed(let names):
            guard !container.isReadOnly else { return nil }
            do {
                try container.repairTracking(of: names)
            } catch  where [.storeLocked, .storeReadOnly].contains(error.code) {
                return nil
            }
            guard case .sealed(let state) = try container.state(of: tableNames) else { return nil }
            return state
        }
    }
}
