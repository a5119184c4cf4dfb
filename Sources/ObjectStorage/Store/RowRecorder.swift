import GRDB

/// The recorder of the rows that an import writes to one table in a transaction, for undoing it.
final class RowRecorder {
    /// The treatment of inserted rows by an undo.
    let kind: UndoRows.Kind
    let entity: EntityDescription
    /// The positions of the columns that the fingerprints of rows include: all that the store does not
    /// compute at the end of a transaction.
    let columns: [Int]
    private unowned let table: BatchTable
    /// Whether a row is read after it was written, because a trigger or the form of a column can change it.
    private let readsBack: Bool
    private var rows = UndoRows()
    /// The fingerprints of the rows in the table's group.
    private var group: [UInt32] = []
    private let note: (Int) throws -> Void
    private var notedBytes = 0

    /// - Parameter note: Called with the growth of the recorded rows in bytes, about each 16 kB.
    init(
        _ table: BatchTable, _ kind: UndoRows.Kind, readsBack: Bool, note: @escaping (Int) throws -> Void
    ) {
        self.table = table
        self.kind = kind
        self.readsBack = readsBack
        self.note = note
        entity = table.entity
        columns = table.columns.indices.filter { !table.isDerived($0) }
    }

    /// The names of the columns in ``columns``.
    var columnNames: [String] { columns.map { table.columns[$0] } }

    func addToGroup(_ values: [StoredValue]) { group.append(RowFingerprint.value(of: values, columns)) }

    func forgetGroup() { group.removeAll(keepingCapacity: true) }

    /// Records the rows of the group, whose keys end with `lastKey`.
    func noteGroup(lastKey: Int64) throws {
        var key = lastKey - Int64(group.count)
        for fingerprint in group {
            key += 1
            rows.addInserted(key, fingerprint)
        }
        forgetGroup()
        try noteGrowth()
    }

    func noteInserted(_ key: Int64, _ values: [StoredValue]) throws {
        rows.addInserted(key, try fingerprint(key, values))
        try noteGrowth()
    }

    /// Records a row that the import deleted.
    ///
    /// - Parameter values: The values before.
    func noteRemoved(_ key: Int64, _ values: [StoredValue]) throws {
        rows.addDeleted(
            UndoRows.Update(
                key: key, fingerprint: RowFingerprint.value(of: values, columns),
                earlier: columns.enumerated().map { (column: $0, value: values[$1]) }))
        try noteGrowth()
    }

    /// Forgets an inserted row that was deleted again.
    func noteDeleted(_ key: Int64) { rows.removeInserted(key) }

    /// Records a row that was updated.
    ///
    /// - Parameter old: The values before.
    func noteUpdated(_ key: Int64, from old: [StoredValue], to values: [StoredValue]) throws {
        let earlier = columns.enumerated().filter { old[$1] != values[$1] }
            .map { (column: $0, value: old[$1]) }
        rows.addUpdated(
            UndoRows.Update(key: key, fingerprint: try fingerprint(key, values), earlier: earlier))
        try noteGrowth()
    }

    private func fingerprint(_ key: Int64, _ values: [StoredValue]) throws -> UInt32 {
        guard readsBack else { return RowFingerprint.value(of: values, columns) }
        // A trigger may have deleted the row.
        return RowFingerprint.value(of: try table.storedRow(key) ?? values, columns)
    }

    private func noteGrowth() throws {
        let growth = rows.byteCount - notedBytes
        guard growth > 16_384 else { return }
        notedBytes += growth
        try note(growth)
    }

    /// Ends the recording.
    func stop() { table.recorder = nil }

    /// Removes and returns the recorded rows, packed.
    func take() -> (inserted: [UInt8]?, updated: [UInt8]?, deleted: [UInt8]?) {
        notedBytes = 0
        return rows.take()
    }
}
