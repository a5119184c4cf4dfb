import SectionedFetch

/// The rows of which an update may be told although they show what they showed, as the article about changes
/// says:
///
/// * in somebody else's tables, whose triggers name no columns, rows that any statement wrote;
/// * rows that were written more than once since the last report, or deleted and inserted again: the log has
///   them, and nobody knows what they showed in between;
/// * rows of which links to many were changed since the last report, and those that the list's context led to
///   an object and then deleted that: the oracle does not know what such a row showed before. A save of links
///   that a list with unsaved changes reported already is no excuse;
/// * rows that others changed before a report, and whose changes the context merged after it.
struct Excuses {
    let isOurs: Bool
    private var writes: [ObjectID: Int] = [:]
    private var rewritten: Set<ObjectID> = []
    /// How many rows the list's context had handed to its parent before that saved them: of a save that is
    /// not the context's own it knows what the log has.
    private var numberOfParentsRows = 0
    /// How many changes a log has from before the results were found: only a cache entry or a report needs
    /// the tables stamped.
    private var numberOfEarlierChanges = 0
    /// The objects of which links were changed, and whether that was reported.
    private var relinked: [(object: ManagedObject, isReported: Bool)] = []
    /// The objects that led to an object which the list's context deleted.
    private var orphaned: [ManagedObject] = []
    /// The rows of which other contexts changed links.
    private var relinkedByOthers: Set<ObjectID> = []

    init(isOurs: Bool) { self.isOurs = isOurs }

    /// Takes note of rows that one transaction or one statement wrote.
    mutating func note(_ rows: some Sequence<ObjectID>) { for row in rows { writes[row, default: 0] += 1 } }

    /// Takes note of the rows that the parent of the list's context is about to save.
    mutating func noteParentsRows(_ count: Int) { numberOfParentsRows += count }

    /// Takes note of rows that may be told of again.
    mutating func noteRewritten(_ rows: some Sequence<ObjectID>) { rewritten.formUnion(rows) }

    /// Takes note of objects whose links were changed, until they are saved or rolled back.
    mutating func noteRelinked(_ objects: [ManagedObject]) {
        relinked += objects.map { ($0, isReported: false) }
    }

    /// Takes note of objects that led to an object which was deleted, until they are saved or rolled back.
    mutating func noteOrphaned(_ objects: [ManagedObject]) { orphaned += objects }

    /// Takes note of rows of which another context changed links.
    mutating func noteRelinkedByOthers(_ rows: [ObjectID]) { relinkedByOthers.formUnion(rows) }

    /// Takes note that the list's context saves: links that were reported before are not reported again.
    mutating func noteSaveOfLinks() { relinked.removeAll(where: \.isReported) }

    /// Forgets those.
    mutating func forgetRelinked() { (relinked, orphaned) = ([], []) }

    /// Begins anew, when all is told.
    mutating func forget() {
        (writes, rewritten, numberOfParentsRows, relinkedByOthers) = ([:], [], 0, [])
        for place in relinked.indices { relinked[place].isReported = true }
    }

    /// Begins anew with results of which nothing was told, and of which no cache entry is kept.
    mutating func forgetDirty() {
        numberOfEarlierChanges = greatestNumberOfChanges
        forget()
    }

    /// Takes note of the rows of a new store.
    mutating func noteFilling(_ count: Int) { numberOfEarlierChanges += count }

    /// Takes note that the tables were stamped, for a report.
    mutating func noteStamp() { numberOfEarlierChanges = 0 }

    /// More changes than any table's log was asked to take since it was stamped: a row that was displaced, or
    /// written several times, and the links of a part, count for a few.
    var greatestNumberOfChanges: Int {
        numberOfEarlierChanges + 2 * (writes.values.reduce(0, +) + numberOfParentsRows)
            + 4 * rewritten.count + 16 * (relinked.count + orphaned.count)
    }

    /// Whether an update of a row may be needless.
    func cover(_ content: RowContent) -> Bool {
        let rows = [content.part.id, content.shelf?.id, content.hall?.id].compactMap(\.self)
        return rows.contains { rewritten.contains($0) || writes[$0, default: 0] > (isOurs ? 1 : 0) }
            || relinked.contains { $0.object.plainID == content.part.id }
            || orphaned.contains { $0.plainID == content.part.id }
            || relinkedByOthers.contains(content.part.id)
    }
}
