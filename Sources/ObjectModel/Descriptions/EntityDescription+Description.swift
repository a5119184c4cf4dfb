extension EntityDescription: CustomStringConvertible {
    /// The entity as readable text: its name with that of its parent, and a line for each property that it
    /// declares itself.
    public var description: String {
        let lists =
            uniquenessConstraints.map { "unique together: \($0.joined(separator: ", "))" }
            + indexes.map { "indexed together: \($0.joined(separator: ", "))" }
        let lines = ownAttributes.map(\.description) + ownRelationships.map(\.description) + lists
        let title = name + (parentName.map { ": \($0)" } ?? "") + (isAbstract ? ", abstract" : "")
        guard let existingTable else { return ([title] + lines.map { "  " + $0 }).joined(separator: "\n") }
        let columns = existingTable.columns.sorted { $0.key < $1.key }.map {
            "\($0.key) in column \($0.value)"
        }
        let forms = existingTable.forms.sorted { $0.key < $1.key }.map { "\($0.key) as \($0.value.rawValue)" }
        let links = existingTable.links.sorted { $0.key < $1.key }.map { "\($0.key) in table \($0.value)" }
        let orders = existingTable.orderColumns.sorted { $0.key < $1.key }.map {
            "position of \($0.key) in column \($0.value)"
        }
        let entity = existingTable.entityColumn.map { column in
            ["entity in column \(column.name)\(column.numbers[name].map { " as \($0)" } ?? "")"]
        }
        let parts = lines + columns + forms + links + orders + (entity ?? [])
        return (["\(title), \(existingTable)"] + parts.map { "  " + $0 })
            .joined(separator: "\n")
    }
}
