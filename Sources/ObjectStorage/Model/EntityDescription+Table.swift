/// Where the rows are. What SQL says of an entity's table, its key and its columns is asked for here.
extension EntityDescription {
    /// The name of the SQLite table.
    package var tableName: String { hierarchy?.rootName ?? name }

    /// The table as SQL names it.
    package var tableSQL: String { "main." + tableName.quotedIdentifier }

    /// The column of the primary key, as SQL.
    package var keySQL: String { "objectID" }

    /// The column of a property or an order, as SQL.
    package func columnSQL(_ slotName: String) -> String { slotName.quotedIdentifier }

    /// The columns of all slots, as SQL.
    package var columnSQLs: [String] { slotNames.map(columnSQL) }

    /// The column with the name of a row's entity, as SQL; nil where a table has the rows of one entity alone. No property can
    /// have its name.
    package var kindSQL: String? { hierarchy == nil ? nil : "\".entity\"" }

    /// The condition under which a row of the table is an object of this entity, as an index has it; nil where every row is.
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
    /// Without statistics SQLite takes any index for one that finds ten rows, and would rather go through all rows of an entity
    /// than look up some by their keys.
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
