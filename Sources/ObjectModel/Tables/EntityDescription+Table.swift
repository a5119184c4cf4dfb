import Mutants

/// The table, key and column names of an entity as SQL. All SQL text takes them from here.
extension EntityDescription {
    /// The name of the SQLite table.
    package var tableName: String { mapping?.table.name ?? hierarchy?.rootName ?? name }

    /// The table as SQL; for a union, a subquery with its rows.
    package var tableSQL: String {
        if let union { return union.selectionSQL(of: self) }
        return ownTableSQL
    }

    private var ownTableSQL: String {
        (Mutant.shadowedTable.isPlanted ? "" : "main.") + tableName.quotedIdentifier
    }

    /// The column of the primary key, as SQL.
    package var keySQL: String {
        if Mutant.implicitRowIDs.isPlanted { return "rowid" }
        return mapping?.table.primaryKey.columnIdentifier ?? "objectID"
    }

    /// Returns the column of a property or an order position, as SQL.
    package func columnSQL(_ slotName: String) -> String {
        guard let mapping else { return ownSpelling(of: slotName).columnIdentifier }
        let column = mapping.table.columns[slotName] ?? mapping.orderColumnsBySlot[slotName] ?? slotName
        return column.columnIdentifier
    }

    /// Returns a name in the spelling of the table. Swift compares texts by canonical equivalence, and SQLite
    /// compares them by their bytes.
    private func ownSpelling(of slotName: String) -> String {
        if slotName.utf8.allSatisfy({ $0 < 0x80 }) { return slotName }
        return slotNames.first { $0 == slotName } ?? slotName
    }

    /// Returns a property's value as SQL for comparisons and sorting. A column of an external table may have
    /// another collation, whereas texts here are compared by their bytes; and it may store its values in
    /// another form.
    ///
    /// - Parameter prefix: The text before the column: the table's alias with a full stop, or nothing.
    package func valueSQL(_ slotName: String, prefix: String = "") -> String {
        let column = prefix + columnSQL(slotName)
        guard let mapping else { return column }
        return (mapping.table.forms[slotName].map { $0.conversionSQL(ofColumn: column) } ?? column)
            + " COLLATE BINARY"
    }

    /// The columns of all slots, as SQL.
    package var columnSQLs: [String] { slotNames.map(columnSQL) }

    /// The column with the entity of a row, as SQL; nil for a table with the rows of only one entity. No
    /// property can have its name.
    package var concreteEntitySQL: String? {
        guard let mapping else { return hierarchy == nil ? nil : "\".entity\"" }
        // The rows of other entities may be in the table even if the model has none of these.
        return mapping.table.entityColumn?.name.columnIdentifier
    }

    /// Returns the value of ``concreteEntitySQL`` for an entity, as SQL.
    private func concreteEntityLiteral(of entityName: String) -> String {
        guard let entityColumn = mapping?.table.entityColumn else { return entityName.quotedLiteral }
        return entityColumn.numbers[entityName].map { String($0) } ?? "NULL"
    }

    /// Returns the name of the entity for a value of ``concreteEntitySQL``; nil for an unknown number.
    package func entityName(ofColumn value: StoredValue) -> String? {
        switch value {
        case .text(let name): return name
        case .integer(let number):
            return mapping?.table.entityColumn?.numbers.first { $0.value == number }?.key
        default: return nil
        }
    }

    /// The value of ``concreteEntitySQL`` for rows of this entity, as SQL.
    package var concreteEntityLiteral: String { concreteEntityLiteral(of: name) }

    /// Returns the name of the entity of a row, which is this entity or a sub-entity, as SQL; nil for a table
    /// with the rows of only one entity. The numbers that an external table stores in place of names are
    /// converted.
    ///
    /// - Parameter alias: The text before the column: the table's alias with a full stop, or nothing.
    package func concreteEntityNameSQL(_ alias: String = "") -> String? {
        guard let column = concreteEntitySQL else { return nil }
        guard mapping != nil else { return alias + column }
        return familyNames.reduce("CASE \(alias)\(column)") {
            "\($0) WHEN \(concreteEntityLiteral(of: $1)) THEN \($1.quotedLiteral)"
        } + " END"
    }

    /// Returns the condition for rows of this entity in the form that indexes need; nil if every row of the
    /// table belongs to this entity.
    ///
    /// A row whose entity the model does not contain fulfils the condition of no entity.
    ///
    /// - Parameters:
    ///   - alias: The statement's alias for the table; nil for none.
    ///   - includesSubentities: Whether rows of sub-entities fulfil the condition as well.
    package func indexConcreteEntityCondition(_ alias: String? = nil, includesSubentities: Bool = true)
        -> String?
    {
        guard let concreteEntitySQL else { return nil }
        var list = concreteEntityLiteral
        if includesSubentities {
            for descendant in hierarchy?.descendants ?? [] {
                list += ", " + concreteEntityLiteral(of: descendant.name)
            }
        }
        return "\(alias.map { $0 + "." } ?? "")\(concreteEntitySQL) IN (\(list))"
    }

    /// Returns the condition of ``indexConcreteEntityCondition(_:includesSubentities:)`` for statements, with
    /// an estimate of the number of rows.
    ///
    /// Without statistics SQLite assumes that any index finds ten rows, and would read all rows of an entity
    /// rather than look up a few by their keys.
    package func concreteEntityCondition(_ alias: String? = nil, includesSubentities: Bool = true) -> String?
    {
        guard let condition = indexConcreteEntityCondition(alias, includesSubentities: includesSubentities)
        else {
            return nil
        }
        // The plus sign prevents an index look-up of the column, which would be slower if all rows match.
        let isAll = includesSubentities && familyNames.count == hierarchy?.memberNames.count ?? 1
        return isAll ? "+" + condition : "likelihood(\(condition), 0.25)"
    }

    /// The condition for the row of one object of exactly this entity, whose key is the first parameter, as
    /// SQL.
    package var rowCondition: String {
        concreteEntitySQL.map { "\(keySQL) = ?1 AND \($0) = \(concreteEntityLiteral)" } ?? "\(keySQL) = ?1"
    }
}

extension EntityDescription {
    /// Returns a row of an external table with its values in the forms that objects use.
    ///
    /// In a column of another affinity SQLite stores 5.0 as 5 and a decimal as a number. A value that cannot
    /// be converted to the attribute's form stays unchanged, and reading it throws an error.
    package func normalized(_ row: [StoredValue]) -> [StoredValue] {
        guard let forms = mapping?.table.forms else { return row }
        var row = row
        for (slot, attribute) in storedAttributes.enumerated() where !row[slot].isNull {
            let value = forms[attribute.name]?.value(ofColumn: row[slot]) ?? row[slot]
            row[slot] = attribute.type.normalized(value)
        }
        // SQLite finds the row of a key that is written as text or as 5.0, so the key is converted for the
        // look-up in memory as well.
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
    /// Returns the column's value for a slot's value.
    package func columnValue(_ value: StoredValue, slot: Int) -> StoredValue {
        guard let forms = mapping?.table.forms, storedAttributes.indices.contains(slot) else { return value }
        return forms[storedAttributes[slot].name]?.column(ofValue: value) ?? value
    }

    /// Returns the columns' values for the values of the first slots.
    package func columnValues(_ values: [StoredValue]) -> [StoredValue] {
        mapping == nil ? values : values.enumerated().map { columnValue($1, slot: $0) }
    }
}

extension String {
    /// The name of a column as an SQL identifier. Double quotes are not used: if another program removes the
    /// column, SQLite would read a name in double quotes as a text and report no error.
    package var columnIdentifier: String { quoted(by: "`") }
}
