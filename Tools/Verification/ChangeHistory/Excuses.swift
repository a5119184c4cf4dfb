import SectionedFetch

/// The rows whose update may be reported although they show the same as before. As the article on changes
/// says, these are:
///
/// * in external tables, whose triggers name no columns: rows that any statement wrote;
/// * rows that were written more than once since the last report, or deleted and inserted again: the log
///   records the writes, but not the values in between;
/// * rows whose links to many changed since the last report, and rows whose related object was set and then
///   deleted by the list's context: the oracle does not know what such a row showed before. A save of links
///   that a list with unsaved changes has already reported is no excuse;
/// * rows that others changed before a report, and whose changes the context merged after it.
struct Excuses {
    let isOurs: Bool
    private var writes: [ObjectID: Int] = [:]
    private var rewritten: Set<ObjectID> = []
    /// The number of rows that the list's context passed to its parent and the parent saved. The context did
    /// not make that save itself, so it knows its rows only from the log.
    private var numberOfParentsRows = 0
    /// The number of changes in the log from before the first fetch. Only a cache entry or a report stamps
    /// the tables.
    private var numberOfEarlierChanges = 0
    /// The objects whose links changed, and whether the change was reported.
    private var relinked: [(object: ManagedObject, isReported: Bool)] = []
    /// The objects whose related object the list's context deleted.
    private var orphaned: [ManagedObject] = []
    /// The rows whose links other contexts changed.
    private var relinkedByOthers: Set<ObjectID> = []

    init(isOurs: Bool) { self.isOurs = isOurs }

    /// Records rows that one transaction or one statement wrote.
    mutating func note(_ rows: some Sequence<ObjectID>) { for row in rows { writes[row, default: 0] += 1 } }

    /// Records the rows that the parent of the list's context is about to save.
    mutating func noteParentsRows(_ count: Int) { numberOfParentsRows += count }

    /// Records rows that may be reported again.
    mutating func noteRewritten(_ rows: some Sequence<ObjectID>) { rewritten.formUnion(rows) }

    /// Records objects whose links changed, until they are saved or rolled back.
    mutating func noteRelinked(_ objects: [ManagedObject]) {
        relinked += objects.map { ($0, isReported: false) }
    }

    /// Records objects whose related object was deleted, until they are saved or rolled back.
    mutating func noteOrphaned(_ objects: [ManagedObject]) { orphaned += objects }

    /// Records rows whose links another context changed.
    mutating func noteRelinkedByOthers(_ rows: [ObjectID]) { relinkedByOthers.formUnion(rows) }

    /// Records that the list's context saves: links that were reported before are not reported again.
    mutating func noteSaveOfLinks() { relinked.removeAll(where: \.isReported) }

    /// Forgets the objects whose links changed or whose related object was deleted.
    mutating func forgetRelinked() { (relinked, orphaned) = ([], []) }

    /// Starts over after a report of all changes.
    mutating func forget() {
        (writes, rewritten, numberOfParentsRows, relinkedByOthers) = ([:], [], 0, [])
        for index in relinked.indices { relinked[index].isReported = true }
    }

    /// Starts over with results that were fetched without a report, and without a cache entry.
    mutating func forgetDirty() {
        numberOfEarlierChanges = greatestNumberOfChanges
        forget()
    }

    /// Records the number of rows of a new store.
    mutating func noteFilling(_ count: Int) { numberOfEarlierChanges += count }

    /// Records that the tables were stamped, for a report.
    mutating func noteStamp() { numberOfEarlierChanges = 0 }

    /// An upper bound for the number of changes in any table's log since it was stamped. A row that was
    /// displaced or written several times counts as several changes, and so do the links of a part.
    var greatestNumberOfChanges: Int {
        numberOfEarlierChanges + 2 * (writes.values.reduce(0, +) + numberOfParentsRows)
            + 4 * rewritten.count + 16 * (relinked.count + orphaned.count)
    }

    /// Returns whether the update of a row may be reported without a visible change.
    func cover(_ content: RowContent) -> Bool {
        let rows = [content.part.id, content.shelf?.id, content.hall?.id].compactMap(\.self)
        return rows.contains { rewritten.contains($0) || writes[$0, default: 0] > (isOurs ? 1 : 0) }
            || relinked.contains { $0.object.plainID == content.part.id }
            || orphaned.contains { $0.plainID == content.part.id }
            || relinkedByOthers.contains(content.part.id)
    }
}
