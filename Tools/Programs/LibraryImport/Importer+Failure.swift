import Foundation
import SectionedFetch
import ToolSupport

extension Importer {
    /// Returns the failure of an import for an error of the store: the store's path, the rows that stay
    /// committed, and the remedy.
    func failure(_ error: ObjectStorageError) -> ToolFailure {
        let path = "“\(target.path)”"
        let error = target.explained(error)
        // The error's own message describes one transaction; earlier transactions of the import are
        // committed.
        let reason =
            switch error.code {
            case .diskFull: "The disk is full. Free some space and import again."
            case .modelMismatch:
                "Another program changed\(error.entityName.map { " “\($0)” of" } ?? "") the store while the file was read. Import again."
            case .storeReplaced:
                "The store was replaced, moved or deleted during the import. Import again into the intended store."
            default: error.message
            }
        let message = reason.contains(path) ? reason : "\(path): \(reason)"
        // The contents of a store that was replaced are unknown.
        let whatStays = error.code == .storeReplaced ? nil : whatStays
        return ToolFailure(message + (whatStays.map { " " + $0 } ?? ""))
    }

    /// A sentence about the rows that a stopped import left in the store, or nil if it left none.
    var whatStays: String? {
        guard summary.rows > 0, !options.isDryRun else { return nil }
        let kept = "The rows imported so far stay in the store (\(Quantity.count(summary.rows, "row")))."
        if recordedPosition != nil { return kept + " Run the same command again to continue." }
        return kept + (mapping.key == nil ? " Without a key, another import inserts them again." : "")
    }

    /// A sentence about the records that have the key of an earlier record, or nil if there are none.
    var repeatedKeyNote: String? {
        guard let key = mapping.key, summary.repeatedRows.count > 0 else { return nil }
        let rows = summary.repeatedRows
        let subject = Quantity.count(rows.count, "record has", "records have")
        let remedy = options.isDryRun ? "pass" : "undo the import and pass"
        return
            "\(subject) the “\(key)” of an earlier record of the file, and \(rows.count == 1 ? "its" : "their") values replaced those of the earlier one; first in line \(rows.line). If these are different objects, \(remedy) another --key, or --no-key."
    }

    /// A sentence about each column with texts that their attributes changed, and the option that omits them.
    var changeNotes: [String] {
        let columns = mapping.attributes.map(\.column)
        let notes = summary.changes.sorted { $0.key < $1.key }.map { position, changed in
            "“\(columns[position])”: \(Quantity.count(changed.count, "text")) changed, first in line \(changed.line): “\(changed.text)” is stored as \(changed.stored)."
        }
        return notes.isEmpty
            ? [] : notes + ["To store changed texts without these notes, pass --on-change accept."]
    }
}
