import SectionedFetch

extension SurveyReport {
    /// The description as JSON: the tables and views of the database with their roles in the model.
    ///
    /// - Throws: An error of counting rows.
    package func json() throws -> JSONValue {
        .object([
            .init("database", .string(path)),
            .init("tables", .array(try survey.tables.map(table))),
        ])
    }

    private func table(_ table: DatabaseSurvey.Table) throws -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(table.name)), .init("kind", .string(table.kind.rawValue)),
        ]
        switch table.role {
        case .entity(let name):
            members.append(.init("entity", .string(name)))
            if let count = try numberOfRows(name) { members.append(.init("numberOfRows", .count(count))) }
            members.append(.init("isReadOnly", .boolean(table.isReadOnly)))
            members.append(.init("numberOfExaminedRows", .count(table.examinedRowCount)))
            members.append(.init("hasMoreRows", .boolean(table.hasMoreRows)))
            members.append(.init("columns", .array(table.columns.map(column))))
            let relationships = survey.model.entity(named: name)?.relationships ?? []
            members.append(.init("relationships", .array(relationships.map(relationship))))
            members.append(.init("notes", .array(table.notes.map { .string($0) })))
        case .link(let entityName, let relationshipName):
            members.append(.init("pairsOf", .string("\(entityName).\(relationshipName)")))
            members.append(.init("columns", .array(table.columns.map(column))))
        case .notTaken(let reason, let remedy):
            members.append(.init("notTaken", .string(reason)))
            // The remedy of the library names an option of its API.
            let option = "Pass --entity \(table.name), or --views to read all views."
            members.append(.init("remedy", .string(views.contains(table) ? option : remedy)))
        }
        return .object(members)
    }

    private func column(_ column: DatabaseSurvey.Column) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(column.name)), .init("declaredType", .string(column.declaredType)),
        ]
        switch column.role {
        case .key: members.append(.init("property", "objectID"))
        case .attribute(let name, let type):
            members.append(.init("property", .string(name)))
            members.append(.init("type", .string(type.rawValue)))
        case .relationship(let name, let destination):
            members.append(.init("property", .string(name)))
            members.append(.init("destination", .string(destination)))
        case .linkEnd(let destination): members.append(.init("destination", .string(destination)))
        case .notTaken(let reason): members.append(.init("notTaken", .string(reason)))
        }
        if let note = column.note { members.append(.init("note", .string(note))) }
        return .object(members)
    }

    private func relationship(_ relationship: RelationshipDescription) -> JSONValue {
        [
            "name": .string(relationship.name),
            "destination": .string(relationship.destinationEntityName),
            "inverse": .string(ifPresent: relationship.inverseName),
            "isToMany": .boolean(relationship.isToMany),
        ]
    }
}
