import SectionedFetch
import ToolSupport

/// The parts of a store that are not moved, and the contents that are lost with them.
extension MoveSource {
    /// Throws an error for a table that cannot be read, whose rows would be missing in the new store.
    static func refuseUnreadableTables(of survey: DatabaseSurvey, _ path: String) throws(ToolFailure) {
        guard let table = survey.tables.first(where: { $0.isUnreadable && $0.kind == .table }),
            case .notTaken(let reason, _) = table.role
        else { return }
        throw ToolFailure(
            "The table “\(table.name)” of “\(path)” cannot be read: \(reason). Nothing was moved. Restore “\(path)” from a copy, or copy the rows that can be read to another database with the command .recover of the sqlite3 shell, and move that."
        )
    }

    /// Takes note of the parts of a table of another program's database that are not in the model.
    mutating func take(_ table: DatabaseSurvey.Table, _ model: ManagedObjectModel) throws {
        if case .notTaken(let reason, let remedy) = table.role {
            return try takeOmitted(table, "\(reason). \(remedy)")
        }
        var forms: [String: ExistingTable.Form] = [:]
        if case .entity(let name) = table.role {
            forms = model.entity(named: name)?.existingTable?.forms ?? [:]
        }
        for column in table.columns {
            switch column.role {
            case .notTaken(let reason):
                guard let count = try numberOfValues(of: column.name, table.name), count > 0 else {
                    partsWithoutPlace.append("table “\(table.name)”, column “\(column.name)”: \(reason).")
                    continue
                }
                lose(Quantity.count(count, "value"), count, of: table.name, column.name, reason)
            case .attribute(let name, let type):
                let note =
                    column.note ?? (forms[name] == .uuidText ? "texts, stored as \(type.rawValue)" : nil)
                if let note { conversions.append("“\(table.name).\(column.name)”: \(note)") }
            case .key, .relationship, .linkEnd: continue
            }
        }
        partsWithoutPlace += table.notes.map { "table “\(table.name)”: \($0)" }
    }

    /// Returns the number of values of a column; nil for a generated column whose expression fails, which has
    /// none in the file.
    private func numberOfValues(of column: String, _ table: String) throws(ObjectStorageError) -> Int? {
        do {
            return try context.numberOfStoredValues(inColumnNamed: column, ofTableNamed: table)
        } catch  where error.underlying?.primaryResultCode == 1 {
            return nil
        }
    }

    private mutating func takeOmitted(_ table: DatabaseSurvey.Table, _ reason: String) throws {
        switch table.kind {
        case .view:
            partsWithoutPlace.append(
                "view “\(table.name)”: it has no rows of its own. To keep the rows that it computes, copy them to a table of “\(path)” first."
            )
        case .virtualTable: partsWithoutPlace.append("\(table)")
        case .shadowTable:
            guard Self.hasRowsOfVirtualTable(table.name) else { return }
            fallthrough
        case .table, .controlTable:
            let count = try context.numberOfStoredRows(inTableNamed: table.name) ?? 0
            guard count > 0 else {
                partsWithoutPlace.append("\(table) (0 rows)")
                return
            }
            lose(Quantity.count(count, "row"), count, of: table.name, nil, reason)
        }
    }

    private mutating func lose(
        _ contents: String, _ count: Int, of table: String, _ column: String?, _ reason: String
    ) {
        losses.append(
            MoveComparison.Difference(
                entityName: "table “\(table)”", key: nil, propertyName: column, source: contents,
                target: "none", reason: reason, count: count))
    }

    /// Takes note of the rules and indexes that the schema declares for some tables.
    mutating func takeRules(ofTables names: [String]) throws {
        let names = Set(names)
        partsWithoutPlace += try context.declaredRules().filter { names.contains($0.tableName) }.map {
            "table “\($0.tableName)”: \($0)"
        }
    }

    /// Takes note of the tables and columns that are not part of the store's model: those that another
    /// program added, and those that the model of a tracked database leaves out.
    ///
    /// - Parameter isCoreData: Whether Core Data wrote the store. Its own tables and columns are not noted,
    ///   and others only with their contents.
    mutating func takePartsOutsideModel(isCoreData: Bool) throws {
        let mapped = container.model.storedColumnNames
        let shadows = try context.shadowTableNames()
        let reason = "it is not part of the model"
        for (table, columns) in try context.storedColumns()
        where isCoreData ? CoreDataName.isOfEntities(table) : !table.lowercased().hasPrefix("sc_") {
            guard let names = mapped[table.lowercased()] else {
                if shadows.contains(table), !Self.hasRowsOfVirtualTable(table) { continue }
                let count = try context.numberOfStoredRows(inTableNamed: table) ?? 0
                if count > 0 {
                    lose(Quantity.count(count, "row"), count, of: table, nil, reason)
                } else if !isCoreData {
                    partsOutsideModel.append("table “\(table)”: \(reason) (0 rows).")
                }
                continue
            }
            for column in columns
            where !names.contains(column.lowercased())
                && (!isCoreData || CoreDataName.isOfProperty(column))
            {
                let count = try numberOfValues(of: column, table) ?? 0
                if count > 0 {
                    lose(Quantity.count(count, "value"), count, of: table, column, reason)
                } else if !isCoreData {
                    partsOutsideModel.append("table “\(table)”, column “\(column)”: \(reason) (no values).")
                }
            }
        }
        partsWithoutPlace += partsOutsideModel
    }

    /// Takes note of the rules of the tables to which a tracked database's model is mapped.
    mutating func takeRulesOfMappedTables() throws {
        let tables = container.model.entities.compactMap(\.existingTable)
        guard !tables.isEmpty else { return }
        try takeRules(ofTables: tables.map(\.name) + tables.flatMap { $0.links.values.map(\.name) })
    }

    /// Returns whether a shadow table contains the rows of its virtual table; the others can be computed from
    /// these.
    private static func hasRowsOfVirtualTable(_ name: String) -> Bool {
        name.hasSuffix("_content") || name.hasSuffix("_rowid")
    }

    /// The history of changes of a store of Core Data, and its records for CloudKit.
    func history() throws(ObjectStorageError) -> [String] {
        func count(_ table: String) throws(ObjectStorageError) -> Int {
            try context.numberOfStoredRows(inTableNamed: table) ?? 0
        }
        var parts: [String] = []
        let (transactions, changes) = (try count("ATRANSACTION"), try count("ACHANGE"))
        if transactions + changes > 0 {
            parts.append(
                "The persistent history: \(Quantity.count(transactions, "transaction")) with \(Quantity.count(changes, "change"))."
            )
        }
        let records = try count("ANSCKRECORDMETADATA")
        if records > 0 {
            parts.append("The metadata of CloudKit: \(Quantity.count(records, "record")).")
        }
        return parts
    }
}

/// The names of tables and columns in stores of Core Data.
private enum CoreDataName {
    /// Returns whether a table has a name as those of entities and of relationships have. Names that begin
    /// with `Z_` and a letter are those of Core Data's own tables.
    static func isOfEntities(_ table: String) -> Bool {
        table.hasPrefix("Z") && (!table.hasPrefix("Z_") || table.dropFirst(2).first?.isNumber == true)
    }

    /// Returns whether a column has a name as those of properties have. The other columns contain keys, and
    /// numbers of entities, of positions and of changes.
    static func isOfProperty(_ column: String) -> Bool {
        column.hasPrefix("Z") && column.dropFirst().drop { $0.isNumber }.first != "_"
    }
}
