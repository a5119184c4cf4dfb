import Foundation
import SectionedFetch
import ToolSupport

/// The record of an import in the store.
extension Importer {
    /// The record of an import in the store, as far as the import knows it.
    struct History {
        /// The size of the undo data that the store keeps, in bytes.
        let limit: Int
        /// The full path of a file that can be continued, or nil.
        let source: String?
        /// The number of the import, once it has begun.
        var number: Int64?
        /// Whether the store keeps the data with which the import can be undone.
        var isKept = true
    }

    /// Begins the part of the import that a transaction writes.
    func beginPart(_ writer: BatchWriter) throws(ObjectStorageError) {
        guard let history, !options.isDryRun else { return }
        var record = record
        if let number = history.number {
            record.number = number
        } else if let start = options.start, start.records > 0 {
            record.number =
                try writer.unfinishedImport(ofEntityNamed: mapping.entity, source: start.source) ?? 0
        }
        self.history?.number = try writer.beginImport(
            record, source: history.source, limit: history.limit)
    }

    /// Begins to record the rows of a transaction.
    func recordRows(of tables: Tables) throws(ObjectStorageError) {
        guard history != nil, !options.isDryRun else { return }
        try tables.writer.recordRows(of: tables.main, asRelated: false)
        for table in tables.related { try tables.writer.recordRows(of: table, asRelated: true) }
        for table in tables.elements.flatMap(\.tables) {
            try tables.writer.recordRows(of: table, asRelated: false)
        }
    }

    /// Ends the part of the import that a transaction writes.
    func endPart(_ writer: BatchWriter, isComplete: Bool) throws(ObjectStorageError) {
        guard let history else { return }
        // In a dry run, the record lets files after this one find it, and is rolled back at the end.
        guard !options.isDryRun else { return isComplete ? try writer.add(record) : () }
        guard let number = history.number else { return }
        var record = record
        record.number = number
        self.history?.isKept = try writer.endPart(of: record, isComplete: isComplete)
    }

    /// The notes at the end of the import: on new relationships, on repeated keys, on changed texts, on rows
    /// that were inserted beside others, and on undo data that are not kept.
    var notes: [String] {
        relationshipNotes + [repeatedKeyNote].compactMap(\.self) + changeNotes
            + [insertionNote, undoNote].compactMap(\.self)
    }

    /// A sentence about rows that were inserted without a key beside those that the store had, with the ways
    /// to undo and to avoid that; nil if there are none.
    private var insertionNote: String? {
        guard options.notesInsertedRows, hadRows == true, summary.inserted > 0 else { return nil }
        let rows = Quantity.count(summary.inserted, "row")
        let advice =
            "To update existing rows, pass --key; if all rows of the file are new, --no-key omits this note."
        guard !options.isDryRun else {
            return
                "“\(mapping.entity)” would be imported without a key: \(rows) would be inserted, even if the store has the same rows already. \(advice)"
        }
        var undo = ""
        if let history, history.isKept, let number = history.number {
            undo = " To undo this, run “library-import undo STORE \(number)”."
        }
        return
            "“\(mapping.entity)” was imported without a key: \(rows) \(summary.inserted == 1 ? "was" : "were") inserted, even if the store had the same rows already.\(undo) \(advice)"
    }

    /// A sentence about each relationship of an entity that the import made.
    private var relationshipNotes: [String] {
        guard options.makesEntity, !options.isDryRun else { return [] }
        return mapping.relationships.map {
            "“\($0.column)” became the relationship “\($0.name)” to “\($0.entity)”, whose “\($0.attribute)” has the text."
        }
    }

    /// A sentence about the import's undo data, or nil if the store keeps them or none were wanted.
    private var undoNote: String? {
        guard let history, history.limit > 0, !history.isKept, !options.isDryRun else { return nil }
        return
            "The import cannot be undone: its undo data exceed \(Quantity.bytes(history.limit)). Pass a larger --undo-space."
    }
}
