import Foundation
package import SectionedFetch

/// The detection of tables and columns that a store lacks although its model has them.
///
/// Other programs may rename or drop tables and columns, and SQLite's message names only the first missing
/// one.
extension PersistentContainer {
    /// Runs a closure, and extends its error as ``explained(_:)`` does.
    package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ObjectStorageError {
            throw explained(error)
        }
    }

    /// Returns an error that names the missing tables and columns of the store and the remedy, or the given
    /// error if none is missing.
    ///
    /// - Complexity: For a database error, one statement for each column of the model, which reads no row.
    package func explained(_ error: ObjectStorageError) -> ObjectStorageError {
        guard error.code == .database else { return error }
        let missing = missingTablesAndColumns + missingControlTables(in: error.message)
        guard let last = missing.last else { return error }
        let list = missing.count == 1 ? last : "\(missing.dropLast().joined(separator: ", ")) and \(last)"
        let path = url.map { "“\($0.path)”: " } ?? ""
        return ObjectStorageError(
            .database,
            "\(path)The store has no \(list) any more: another program renamed or dropped \(missing.count == 1 ? "it" : "them"). Rename back what was renamed, with that program, or restore the store from a backup.",
            entityName: error.entityName, propertyName: error.propertyName, objectID: error.objectID)
    }

    private var missingTablesAndColumns: [String] {
        var missing: [String] = []
        // External tables of other programs are compared with the model when the store is opened.
        for entity in model.entities where entity.existingTable == nil {
            let found: [String]
            if lacks("SELECT 1 FROM \(entity.tableSQL) LIMIT 0") {
                found = ["table “\(entity.tableName)”"]
            } else {
                let columns =
                    [("objectID", entity.keySQL)] + entity.slotNames.map { ($0, entity.columnSQL($0)) }
                // Qualified by the table, a column's name is never read as a text.
                found = columns.filter { lacks("SELECT p.\($0.1) FROM \(entity.tableSQL) AS p LIMIT 0") }
                    .map { "column “\($0.0)” in table “\(entity.tableName)”" }
            }
            // Entities of one inheritance hierarchy share a table.
            missing += found.filter { !missing.contains($0) }
        }
        return missing
    }

    /// Returns the control tables that an error names and that the store lacks. A store of an earlier format
    /// does not have all control tables.
    private func missingControlTables(in message: String) -> [String] {
        ["sc_gen", "sc_log", "sc_epoch"].filter {
            message.contains("main.\($0)") && lacks("SELECT 1 FROM main.\($0) LIMIT 0")
        }.map { "table “\($0)”" }
    }

    /// Returns whether a statement does not compile because a table or column does not exist.
    private func lacks(_ statement: String) -> Bool {
        do throws(ObjectStorageError) {
            try runMaintenance(statement)
            return false
        } catch {
            return error.code == .database && error.message.contains("no such ")
        }
    }
}
