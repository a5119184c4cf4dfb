/// The SQL statements that read and write rows of one entity by key, each composed once.
struct RowStatements {
    /// The statement that inserts a row: its key, then its values.
    private(set) lazy var insertion = insertion(rows: 1)
    /// The statement that inserts ``RowWriter/severalRows`` rows.
    private(set) lazy var severalInsertion = insertion(rows: RowWriter.severalRows)
    /// The statement that reads the row with a key, if it is of exactly this entity: its key, then its
    /// values.
    private(set) lazy var selection =
        "SELECT \(RequestCompiler.list([entity.keySQL] + entity.columnSQLs)) FROM \(entity.tableSQL) WHERE \(entity.rowCondition)"
    /// The statement that deletes the row with a key, if it is of exactly this entity.
    private(set) lazy var deletion = "DELETE FROM \(entity.tableSQL) WHERE \(entity.rowCondition)"

    private let entity: EntityDescription
    /// The update statements, at most 32: a program changes few combinations of properties.
    private var updates: [Update] = []
    private static let maximumUpdates = 32

    private struct Update {
        let slots: [Int]
        let conditions: [Int]
        let sql: String
    }

    init(of entity: EntityDescription) { self.entity = entity }

    /// Returns the statement that writes some columns of a row if others have expected values. It binds the
    /// key, then the new values, then the expected values.
    mutating func update(slots: [Int], provided conditions: [Int]) -> String {
        if let known = updates.first(where: { $0.slots == slots && $0.conditions == conditions }) {
            return known.sql
        }
        let columns = entity.columnSQLs
        let assignments = slots.enumerated().map { "\(columns[$1]) = ?\($0 + 2)" }
        let required = conditions.enumerated().map {
            "\(entity.valueSQL(entity.slotNames[$1])) IS ?\($0 + slots.count + 2)"
        }
        let sql =
            "UPDATE \(entity.tableSQL) SET \(assignments.joined(separator: ", ")) "
            + "WHERE \(([entity.rowCondition] + required).joined(separator: " AND "))"
        if updates.count == Self.maximumUpdates { updates = [] }
        updates.append(Update(slots: slots, conditions: conditions, sql: sql))
        return sql
    }

    private func insertion(rows: Int) -> String {
        let columns = [entity.keySQL] + entity.columnSQLs
        var entityColumn = entity.concreteEntitySQL.map { (column: $0, value: entity.concreteEntityLiteral) }
        var written = Array(columns.indices)
        if let rules = entity.rowRules {
            entityColumn = (rules.entityColumn.columnIdentifier, String(rules.entityNumber))
            // The parameters of these columns are bound, but the statement does not use them.
            written.removeAll { position in
                position > 0 && entity.storedAttributes.indices.contains(position - 1)
                    && rules.computedAttributes.contains(entity.storedAttributes[position - 1].name)
            }
        }
        let names = written.map { columns[$0] } + (entityColumn.map { [$0.column] } ?? [])
        let lists = (0..<rows).map { row in
            let parameters = written.map { "?\(row * columns.count + $0 + 1)" }
            return "(\((parameters + (entityColumn.map { [$0.value] } ?? [])).joined(separator: ", ")))"
        }
        return
            "INSERT INTO \(entity.tableSQL) (\(names.joined(separator: ", "))) VALUES \(lists.joined(separator: ", "))"
    }
}
