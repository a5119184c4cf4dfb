import InternalUtilities
import ObjectStorage

/// The newest snapshot that a listener has not consumed yet, with the changes since the last consumed one.
final class NewestSnapshot<Object: ManagedObject>: Sendable {
    private struct State {
        var waiting: ResultsSnapshot<Object>?
        /// The rows of the snapshot that was offered last.
        weak var lastRows: ResultsIndex?
        /// Whether a snapshot was offered.
        var hasOffered = false
        var rows = AccumulatedMarks<ObjectID>()
        var sections = AccumulatedMarks<[UInt8]>()
        var isReload = false
    }

    private let state = LockedValue(State())
    private let arrivals: AsyncStream<Void>.Continuation

    init(_ arrivals: AsyncStream<Void>.Continuation) { self.arrivals = arrivals }

    /// Replaces the waiting snapshot by a newer one. Does nothing for results that were offered already.
    ///
    /// - Parameter change: The change since the previous results; nil if it is unknown.
    func offer(_ snapshot: ResultsSnapshot<Object>, after change: ResultsChange?) {
        // Snapshots must not be deallocated under the lock.
        let dropped = state.withLock { state -> ResultsSnapshot<Object>?? in
            let rows = snapshot.identities.rows
            if let last = state.lastRows, last === rows { return nil }
            state.lastRows = rows
            if let change, !change.isReload {
                for event in change.sectionEvents { state.sections.note(event.kind, of: event.identity) }
                for event in change.rowEvents { state.rows.note(event.kind, of: event.objectID) }
            } else if state.hasOffered {
                state.isReload = true
            }
            state.hasOffered = true
            let dropped = state.waiting
            state.waiting = snapshot
            return .some(dropped)
        }
        guard dropped != nil else { return }
        arrivals.yield()
    }

    /// Takes the waiting snapshot, marked with all changes since the one that was taken before.
    func take() -> ResultsSnapshot<Object>? {
        state.withLock { state in
            guard let waiting = state.waiting else { return nil }
            defer {
                state.waiting = nil
                state.rows = AccumulatedMarks()
                state.sections = AccumulatedMarks()
                state.isReload = false
            }
            return state.isReload
                ? waiting.marked([], [], isReload: true)
                : waiting.marked(state.rows.marks, state.sections.marks, isReload: false)
        }
    }

    /// Ends the sequence.
    func finish() { arrivals.finish() }
}

/// The rows or sections to show anew after several changes.
private struct AccumulatedMarks<ID: Hashable & Sendable> {
    /// The rows or sections that are in both states and may differ.
    private(set) var marks: Set<ID> = []
    private var inserted: Set<ID> = []
    private var deleted: Set<ID> = []

    mutating func note(_ kind: ResultsChange.Kind, of id: ID) {
        switch kind {
        case .insertion: if deleted.remove(id) == nil { inserted.insert(id) } else { marks.insert(id) }
        case .deletion:
            marks.remove(id)
            if inserted.remove(id) == nil { deleted.insert(id) }
        case .move, .update: if !inserted.contains(id) { marks.insert(id) }
        }
    }
}
