import Foundation
import GRDB

extension BatchWriter {
    /// Undoes an import in the current transaction, which must be rolled back if
    /// ``ImportUndoResult/isUndone`` of the result is false.
    ///
    /// - Parameter kept: The rows that are known to stay.
    func undoImport(
        _ number: Int64, _ changedRows: ImportUndoResult.ChangedRows, besides kept: KeptRows
    ) throws(ObjectStorageError) -> ImportUndoResult {
        try completeIndexes()
        return try ObjectStorageError.translating("Undoing import \(number)") {
            guard let record = try ImportRecord.all(in: database, number: number).first else {
                throw ObjectStorageError(
                    .invalidRequest,
                    "Import \(number) is not in the history of \(container.nameInMessages). Choose the number of an import that the history lists."
                )
            }
            try requireUndoData(of: record)
            let undo = ImportUndo(record, changedRows, besides: kept, self)
            try undo.run()
            var result = undo.result
            guard result.changed == 0 || changedRows != .refuse else { return result }
            try ImportRecorder.dropData(of: number, because: "none", in: database)
            let now = Date()
            try database.run(
                "UPDATE main.sc_import_batch SET undone = ?2 WHERE number = ?1",
                [.integer(number), .real(now.timeIntervalSince1970)])
            // An unfinished import must not continue after the rows that are gone. The stored position is
            // that of the last unfinished import of the file.
            if !record.isComplete, try database.hasTable(named: "sc_importing") {
                try database.run(
                    """
                    DELETE FROM main.sc_importing WHERE (entity, source) IN
                        (SELECT entity, source FROM main.sc_import_batch AS own WHERE number = ?1 AND NOT EXISTS
                            (SELECT 1 FROM main.sc_import_batch AS later WHERE later.entity = own.entity
                                AND later.source = own.source AND later.number > ?1 AND NOT later.complete
                                AND later.undone IS NULL))
                    """, [.integer(number)])
            }
            result.isUndone = true
            result.record.undoneDate = now
            return result
        }
    }

    private func requireUndoData(of record: ImportRecord) throws(ObjectStorageError) {
        let reason: String
        if record.undoneDate != nil {
            reason = "it was undone before"
        } else {
            switch record.undoData {
            case .kept: return
            case .none: reason = "the store keeps no undo data of it"
            case .dropped: reason = "its undo data were dropped to make space for those of later imports"
            case .tooLarge: reason = "it has more undo data than the store keeps"
            }
        }
        throw ObjectStorageError(
            .invalidRequest,
            "Import \(record.number) of “\(record.fileName)” cannot be undone: \(reason). Nothing was changed."
        )
    }
}
