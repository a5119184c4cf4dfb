import Foundation
package import SectionedFetch

/// What a store lacks that its model says is there.
///
/// Other programs may rename or drop tables and columns while no program of ours looks, and SQLite only says
/// which name it met with first.
extension PersistentContainer {
    /// Runs a closure, and explains what it throws.
    package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ObjectStorageError {
            throw explained(error)
        }
    }

    /// The same error or, where tables or columns of the store are missing, one that names them and the
    /// remedy.
    ///
    /// - Complexity: One statement for each column that the model has, which reads no row; nothing for errors
    ///   that have another cause.
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
        // Somebody else's tables are compared with the model when the store is opened.
        for entity in model.entities where entity.existingTable == nil {
            let found: [String]
            if lacks("SELECT 1 FROM \(entity.tableSQL) LIMIT 0") {
                found = ["table “\(entity.tableName)”"]
            } else {
                let columns =
                    [("objectID", entity.keySQL)] + entity.slotNames.map { ($0, entity.columnSQL($0)) }
                // With the table before its name a column is never taken for a text.
                found = columns.filter { lacks("SELECT p.\($0.1) FROM \(entity.tableSQL) AS p LIMIT 0") }
                    .map { "column “\($0.0)” in table “\(entity.tableName)”" }
            }
            // Entities that inherit from each other share a table.
            missing += found.filter { !missing.contains($0) }
        }
        return missing
    }

    /// The tables beside those of the model that an error speaks of and that are not there: a store of an
    /// earlier format has not all of them.
    private func missingControlTables(in message: String) -> [String] {
        ["sc_gen", "sc_log", "sc_epoch"].filter {
            message.contains("main.\($0)") && lacks("SELECT 1 FROM main.\($0) LIMIT 0")
        }.map { "table “\($0)”" }
    }

    /// Whether a statement cannot be compiled because something in it is not there.
    private func lacks(_ statement: String) -> Bool {
        do throws(ObjectStorageError) {
            try runMaintenance(statement)
            return false
        } catch {
            return error.code == .database && error.message.contains("no such ")
        }
    }
}
