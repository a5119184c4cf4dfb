/// The rows of one table that a part of an import wrote, packed for undoing it.
///
/// Inserted rows are ranges of keys with a fingerprint for each row. Updated rows have the earlier values of
/// the columns that changed.
struct UndoRows {
    /// The cause of the writing of rows, which determines their treatment by an undo.
    enum Kind: Int64 {
        /// Rows of the file, which are deleted.
        case inserted = 0
        /// Rows of the file that existed, which get their earlier values.
        case updated = 1
        /// Related objects, to which rows of the file referred, which are deleted if nothing else uses them.
        case related = 2
        /// Elements of arrays that the import deleted, which are inserted again.
        case deleted = 3
    }

    /// A row that existed before.
    struct Update {
        let key: Int64
        /// The fingerprint of the row after the import wrote it.
        let fingerprint: UInt32
        /// The earlier values by the positions of their columns.
        let earlier: [(column: Int, value: StoredValue)]
    }

    /// Consecutive keys of inserted rows.
    private struct Run {
        let first: Int64
        var count: Int
    }

    private var runs: [Run] = []
    private var fingerprints: [UInt32] = []
    private var updates = UndoDataWriter()
    private var numberOfUpdates = 0
    private var deletions = UndoDataWriter()
    private var numberOfDeletions = 0

    /// The approximate size of the packed rows, in bytes.
    var byteCount: Int {
        runs.count * 4 + fingerprints.count * 4 + updates.bytes.count + deletions.bytes.count
    }

    /// Adds an inserted row.
    mutating func addInserted(_ key: Int64, _ fingerprint: UInt32) {
        if let last = runs.indices.last, runs[last].first + Int64(runs[last].count) == key {
            runs[last].count += 1
        } else {
            runs.append(Run(first: key, count: 1))
        }
        fingerprints.append(fingerprint)
    }

    /// Removes an inserted row, which was deleted again.
    mutating func removeInserted(_ key: Int64) {
        var position = fingerprints.count
        for index in runs.indices.reversed() {
            let run = runs[index]
            position -= run.count
            let offset = Int(exactly: key.subtractingReportingOverflow(run.first).partialValue) ?? -1
            guard key >= run.first, offset < run.count else { continue }
            fingerprints.remove(at: position + offset)
            var rest: [Run] = []
            if offset > 0 { rest.append(Run(first: run.first, count: offset)) }
            if offset + 1 < run.count {
                rest.append(Run(first: key + 1, count: run.count - offset - 1))
            }
            runs.replaceSubrange(index...index, with: rest)
            return
        }
    }

    /// Adds an updated row.
    mutating func addUpdated(_ update: Update) {
        numberOfUpdates += 1
        updates.append(update)
    }

    /// Adds a deleted row with all its values.
    mutating func addDeleted(_ row: Update) {
        numberOfDeletions += 1
        deletions.append(row)
    }

    /// Removes all rows, and returns those that were inserted, updated and deleted, each packed; nil for
    /// none.
    mutating func take() -> (inserted: [UInt8]?, updated: [UInt8]?, deleted: [UInt8]?) {
        var inserted: [UInt8]?
        if !runs.isEmpty {
            var writer = UndoDataWriter()
            writer.appendCount(runs.count)
            for run in runs {
                writer.appendSigned(run.first)
                writer.appendCount(run.count)
            }
            writer.append(fingerprints)
            inserted = writer.bytes
        }
        var updated: [UInt8]?
        if numberOfUpdates > 0 {
            var writer = UndoDataWriter()
            writer.appendCount(numberOfUpdates)
            updated = writer.bytes + updates.bytes
        }
        var deleted: [UInt8]?
        if numberOfDeletions > 0 {
            var writer = UndoDataWriter()
            writer.appendCount(numberOfDeletions)
            deleted = writer.bytes + deletions.bytes
        }
        self = UndoRows()
        return (inserted, updated, deleted)
    }

    /// Reads packed inserted rows; nil if the bytes are damaged.
    static func inserted(_ bytes: [UInt8]) -> [(key: Int64, fingerprint: UInt32)]? {
        var reader = UndoDataReader(bytes)
        guard let count = reader.count() else { return nil }
        var keys: [Int64] = []
        for _ in 0..<count {
            guard let first = reader.signed(), let length = reader.count(),
                length <= bytes.count / 4, keys.count + length <= bytes.count / 4,
                !first.addingReportingOverflow(Int64(length)).overflow
            else { return nil }
            keys += first..<first + Int64(length)
        }
        var rows: [(key: Int64, fingerprint: UInt32)] = []
        rows.reserveCapacity(keys.count)
        for key in keys {
            guard let fingerprint = reader.word() else { return nil }
            rows.append((key, fingerprint))
        }
        return reader.isAtEnd ? rows : nil
    }

    /// Reads packed updated or deleted rows; nil if the bytes are damaged.
    static func updated(_ bytes: [UInt8]) -> [Update]? {
        var reader = UndoDataReader(bytes)
        guard let count = reader.count() else { return nil }
        var updates: [Update] = []
        for _ in 0..<count {
            guard let update = reader.update() else { return nil }
            updates.append(update)
        }
        return reader.isAtEnd ? updates : nil
    }
}
