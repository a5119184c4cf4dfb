import Mutants

/// Where the rows are. What SQL says of an entity's table, its key and its columns is asked for here.
extension EntityDescription {
    /// The name of the SQLite table.
    package var tableName: String { mapping?.table.name ?? hierarchy?.rootName ?? name }

    /// The table as SQL names it.
    package var tableSQL: String {
        (Mutant.shadowedTable.isPlanted ? "" : "main.") + tableName.quotedIdentifier
    }

    /// The column of the primary key, as SQL.
    package var keySQL: String {
        if Mutant.implicitRowIDs.isPlanted { return "rowid" }
        return mapping?.table.primaryKey.columnIdentifier ?? "objectID"
    }

    /// The column of a property or an order, as SQL.
    package func columnSQL(_ slotName: String) -> String {
        guard let mapping else { return ownSpelling(of: slotName).columnIdentifier }
        return (mapping.table.columns[slotName] ?? slotName).columnIdentifier
    }

    /// A name as the table has it. Texts are equal that have their accents in other ways; to SQLite they are
    /// not.
    private func ownSpelling(of slotName: String) -> String {
        if slotName.utf8.allSatisfy({ $0 < 0x80 }) { return slotName }
        return slotNames.first { $0 == slotName } ?? slotName
    }

    /// A property's value as SQL, to be compared and sorted by: an owner's column may have a collation of its
    /// own, and texts are compared by their bytes here; and it may have its values in another form.
    ///
    /// - Parameter prefix: What is written before the column: the table's alias with a full stop, or nothing.
    func valueSQL(_ slotName: String, prefix: String = "") -> String {
        let column = prefix + columnSQL(slotName)
        guard let mapping else { return column }
        return (mapping.table.forms[slotName].map { $0.conversionSQL(ofColumn: column) } ?? column)
            + " COLLATE BINARY"
    }

    /// The columns of all slots, as SQL.
    package var columnSQLs: [String] { slotNames.map(columnSQL) }

    /// The column with the name of a row's entity, as SQL; nil where a table has the rows of one entity
    /// alone. No property can have its name.
    package var kindSQL: String? { hierarchy == nil ? nil : "\".entity\"" }

    /// The condition under which a row of the table is an object of this entity, as an index has it; nil
    /// where every row is.
    ///
    /// Rows of entities that the model does not have fulfil it for no entity.
    ///
    /// - Parameter alias: What the statement calls the table; nil for nothing.
    package func indexKindCondition(_ alias: String? = nil, includesSubentities: Bool = true) -> String? {
        guard let hierarchy, let kindSQL else { return nil }
        var list = name.quotedLiteral
        if includesSubentities {
            for descendant in hierarchy.descendants { list += ", " + descendant.name.quotedLiteral }
        }
        return "\(alias.map { $0 + "." } ?? "")\(kindSQL) IN (\(list))"
    }

    /// The same as statements have it, which says how many rows that may be.
    ///
    /// Without statistics SQLite takes any index for one that finds ten rows, and would rather go through all
    /// rows of an entity than look up some by their keys.
    package func kindCondition(_ alias: String? = nil, includesSubentities: Bool = true) -> String? {
        guard let condition = indexKindCondition(alias, includesSubentities: includesSubentities) else {
            return nil
        }
        // A column with a plus sign before it is looked up in no index, which for all rows would be a detour.
        let isAll = includesSubentities && familyNames.count == hierarchy?.memberNames.count
        return isAll ? "+" + condition : "likelihood(\(condition), 0.25)"
    }

    /// The condition for the row of one object of just this entity, whose key is the first parameter, as SQL.
    var rowCondition: String {
        kindSQL.map { "\(keySQL) = ?1 AND \($0) = \(name.quotedLiteral)" } ?? "\(keySQL) = ?1"
    }
}

extension EntityDescription {
    /// A row of somebody else's table in the forms in which an object has its values.
    ///
    /// In a column of another affinity SQLite keeps 5.0 as 5 and a decimal as a number. What cannot be
    /// brought into the attribute's form stays as it is, and reading it says so.
    func normalized(_ row: [StoredValue]) -> [StoredValue] {
        guard let forms = mapping?.table.forms else { return row }
        var row = row
        for (slot, attribute) in storedAttributes.enumerated() where !row[slot].isNull {
            let value = forms[attribute.name]?.value(ofColumn: row[slot]) ?? row[slot]
            row[slot] = attribute.type.normalized(value)
        }
        // SQLite finds the row of a key that is written as a text or with a fraction of zero, so memory does
        // as well.
        for slot in storedAttributes.count..<row.count {
            switch row[slot] {
            case .real(let key): row[slot] = Int64(exactly: key).map { .integer($0) } ?? row[slot]
            case .text(let text): row[slot] = Int64(text).map { .integer($0) } ?? row[slot]
            default: break
            }
        }
        return row
    }
}

extension EntityDescription {
    /// What the column of a slot holds of a value.
    func columnValue(_ value: StoredValue, slot: Int) -> StoredValue {
        guard let forms = mapping?.table.forms, storedAttributes.indices.contains(slot) else { return value }
        return forms[storedAttributes[slot].name]?.column(ofValue: value) ?? value
    }

    /// What the columns of the first slots hold of values.
    func columnValues(_ values: [StoredValue]) -> [StoredValue] {
        mapping == nil ? values : values.enumerated().map { columnValue($1, slot: $0) }
    }
}

extension String {
    /// The name of a column as an SQL identifier. Not in double quotes: when another program takes the column
    /// away, SQLite would take the name for a text and go on.
    var columnIdentifier: String { quoted(by: "`") }
}
