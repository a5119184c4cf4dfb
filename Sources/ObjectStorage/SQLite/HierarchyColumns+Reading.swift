extension HierarchyColumns {
    /// Returns the values of the current row by slot, and the name of its entity; nil for an entity that is
    /// not one of these.
    func row(of statement: SQLiteStatement) -> (entityName: String, values: [StoredValue])? {
        guard case .text(let name) = statement.value(1),
            let member = members.first(where: { $0.name == name })
        else { return nil }
        return (name, member.entity.normalized(member.columnPositions.map { statement.value($0 + 2) }))
    }
}
