import ObjectModel

/// The entities of an inferred model, and the roles of tables and columns in it.
struct ModelDraft {
    private let inference: ModelInference
    /// The names of the entities by table.
    private var entityNames: [String: String] = [:]
    /// The names of the properties by table and column.
    private var propertyNames: [String: [String: String]] = [:]
    /// The names of the properties of each table, in lower case.
    private var takenNames: [String: Set<String>] = [:]
    /// The to-many relationships by table.
    private var toMany: [String: [RelationshipDescription]] = [:]
    /// The names of the inverses by table and column.
    private var inverseNames: [String: [String: String]] = [:]
    /// The descriptions of tables of pairs, by the table of the forward end.
    private var linkTables: [String: [String: ExistingLinkTable]] = [:]
    /// The relationships of the forward ends by table of pairs.
    private var linkRoles: [String: DatabaseSurvey.Table.Role] = [:]
    /// The entities in the order of the schema.
    private(set) var entities: [EntityDescription] = []

    private var tables: [SurveyedTable] { inference.tables.filter { inference.isEntity($0.name) } }

    init(_ inference: ModelInference) {
        self.inference = inference
        nameEntities()
        for table in tables { nameColumns(of: table) }
        for table in tables {
            for reference in inference.relationships(of: table) { addInverse(of: reference, in: table) }
        }
        for table in inference.tables { addLink(table) }
        entities = tables.map(entity)
    }

    /// Names the entities. Names of tables that a model accepts unchanged take precedence over others.
    private mutating func nameEntities() {
        var taken: Set<String> = []
        for isChanged in [false, true] {
            for table in tables where (SurveyedName.accepted(table.name) != table.name) == isChanged {
                entityNames[table.name] = SurveyedName.take([table.name], from: &taken)
            }
        }
    }

    private mutating func nameColumns(of table: SurveyedTable) {
        let references = Set(inference.relationships(of: table).map(\.columnName))
        var taken: Set<String> = []
        var names: [String: String] = [:]
        for isChanged in [false, true] {
            for column in table.schema.columns
            where column.name != table.keyName && !references.contains(column.name)
                && (SurveyedName.accepted(column.name) != column.name) == isChanged
            {
                names[column.name] = SurveyedName.take([column.name], from: &taken)
            }
        }
        for reference in inference.relationships(of: table) {
            let short = SurveyedName.withoutKeyEnding(reference.columnName)
            names[reference.columnName] = SurveyedName.take(
                [short, reference.columnName].compactMap(\.self), from: &taken)
        }
        propertyNames[table.name] = names
        takenNames[table.name] = taken
    }

    private func entityName(_ table: String) -> String { entityNames[table] ?? table }

    private mutating func addInverse(of reference: SurveyedTable.Reference, in table: SurveyedTable) {
        let name = propertyNames[table.name]?[reference.columnName] ?? reference.columnName
        let siblings = inference.relationships(of: table).count { $0.tableName == reference.tableName }
        let long = "\(entityName(table.name))_\(name)"
        let isAmbiguous = siblings > 1 || reference.tableName == table.name
        let inverse = SurveyedName.take(
            isAmbiguous ? [long] : [entityName(table.name), long],
            from: &takenNames[reference.tableName, default: []])
        inverseNames[table.name, default: [:]][reference.columnName] = inverse
        toMany[reference.tableName, default: []].append(
            .toMany(
                inverse, to: entityName(table.name), inverse: name,
                deleteRule: Self.deleteRule(of: reference, in: table)))
    }

    /// Returns the delete rule for the object to which a reference leads, from the action of the foreign key.
    private static func deleteRule(
        of reference: SurveyedTable.Reference, in table: SurveyedTable
    ) -> RelationshipDescription.DeleteRule {
        let isRequired = table.schema.column(named: reference.columnName)?.isRequired == true
        return switch reference.actionOnDelete {
        case "CASCADE": .cascade
        // A column that must have a value cannot be cleared.
        case "SET NULL", nil: isRequired ? .deny : .nullify
        default: .deny
        }
    }

    private mutating func addLink(_ table: SurveyedTable) {
        guard let (own, other) = inference.links[table.name] else { return }
        let link = entityNameOfLink(table.name)
        let (base, otherBase) = (Self.base(of: own), Self.base(of: other))
        let ends: (own: [String], other: [String])
        if own.tableName == other.tableName {
            ends = ([otherBase, "\(link)_\(otherBase)"], [base, "\(link)_\(base)"])
        } else {
            let siblings = inference.links.values.count {
                Set([$0.own.tableName, $0.other.tableName]) == [own.tableName, other.tableName]
            }
            let (first, second) = (entityName(own.tableName), entityName(other.tableName))
            ends = siblings > 1 ? ([link], [link]) : ([second, link], [first, link])
        }
        let name = SurveyedName.take(ends.own, from: &takenNames[own.tableName, default: []])
        let inverse = SurveyedName.take(ends.other, from: &takenNames[other.tableName, default: []])
        toMany[own.tableName, default: []].append(
            .toMany(name, to: entityName(other.tableName), inverse: inverse))
        toMany[other.tableName, default: []].append(
            .toMany(inverse, to: entityName(own.tableName), inverse: name))
        linkTables[own.tableName, default: [:]][name] = ExistingLinkTable(
            name: table.name, ownColumn: own.columnName, otherColumn: other.columnName)
        linkRoles[table.name] = .link(entityName: entityName(own.tableName), relationshipName: name)
    }

    private static func base(of reference: SurveyedTable.Reference) -> String {
        SurveyedName.withoutKeyEnding(reference.columnName) ?? reference.columnName
    }

    private func entityNameOfLink(_ table: String) -> String { SurveyedName.accepted(table) }

    private func entity(of table: SurveyedTable) -> EntityDescription {
        let names = propertyNames[table.name] ?? [:]
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        var columns: [String: String] = [:]
        var forms: [String: ExistingTable.Form] = [:]
        let references = inference.relationships(of: table)
        for column in table.schema.columns {
            guard let name = names[column.name] else { continue }
            if let reference = references.first(where: { $0.columnName == column.name }) {
                relationships.append(
                    .toOne(
                        name, to: entityName(reference.tableName),
                        inverse: inverseNames[table.name]?[column.name], isOptional: !column.isRequired))
            } else if case .success(let inferred) = attribute(of: column, in: table) {
                attributes.append(Self.attribute(name, inferred, of: column, in: table))
                if let form = inferred.form { forms[name] = form }
            } else {
                continue
            }
            if name != column.name { columns[name] = column.name }
        }
        return EntityDescription(
            name: entityName(table.name), parentName: nil, isAbstract: false, attributes: attributes,
            relationships: relationships + (toMany[table.name] ?? []), uniquenessConstraints: [],
            indexes: [], renamingIdentifier: nil, objectClass: nil,
            existingTable: ExistingTable(
                name: table.name, primaryKey: table.keyName, columns: columns, forms: forms,
                links: linkTables[table.name] ?? [:]))
    }

    private static func attribute(
        _ name: String, _ inferred: ColumnContents.Inference, of column: SurveyedSchema.Column,
        in table: SurveyedTable
    ) -> AttributeDescription {
        let hasNulls = (table.contents[column.name]?.nullCount ?? 0) > 0
        return AttributeDescription(
            name: name, type: inferred.type,
            isOptional: !column.isRequired || hasNulls || column.isGenerated,
            defaultValue: DeclaredDefault.value(column.defaultSQL, of: inferred))
    }

    /// A column that is not an attribute, with the reason.
    private struct Omission: Error { let reason: String }

    private func attribute(
        of column: SurveyedSchema.Column, in table: SurveyedTable
    ) -> Result<ColumnContents.Inference, Omission> {
        if let problem = table.columnProblems[column.name] { return .failure(Omission(reason: problem)) }
        guard inference.purpose == .reading || !column.isGenerated else {
            return .failure(Omission(reason: "it is generated, so it cannot be written"))
        }
        guard let contents = table.contents[column.name], let inferred = contents.inference(for: column)
        else {
            return .failure(Omission(reason: "it holds bytes beside values of other types"))
        }
        return .success(inferred)
    }

    /// Returns the name of the table whose rows are the objects of an entity.
    func tableName(ofEntityNamed name: String) -> String? { entityNames.first { $0.value == name }?.key }
}

extension ModelDraft {
    /// Returns the role of a table in the model.
    func outcome(of schema: SurveyedSchema.Table) -> DatabaseSurvey.Table {
        if let problem = schema.problem {
            return DatabaseSurvey.Table(
                name: schema.name, kind: schema.kind,
                role: .notTaken(
                    reason: problem,
                    remedy: schema.kind == .view
                        ? "Correct the view, or list the tables that it reads."
                        : "Restore or rename the table, or use the other tables."),
                columns: [], examinedRowCount: 0, hasMoreRows: false, isReadOnly: false, notes: [],
                isUnreadable: schema.isUnreadable)
        }
        let table = inference.table(named: schema.name)
        let role = role(of: schema, table)
        var columns: [DatabaseSurvey.Column] = []
        if let table {
            switch role {
            case .entity: columns = schema.columns.map { column($0, in: table) }
            case .link: columns = schema.columns.map { linkColumn($0, in: table) }
            case .notTaken: break
            }
            if !columns.isEmpty {
                columns += schema.ambiguousColumns.map {
                    DatabaseSurvey.Column(
                        name: $0.name, declaredType: $0.declaredType,
                        role: .notTaken(
                            reason:
                                "its name differs from that of another column only in the encoding of its characters"
                        ), note: nil)
                }
            }
        }
        return DatabaseSurvey.Table(
            name: schema.name, kind: schema.kind, role: role, columns: columns,
            examinedRowCount: table?.examinedRowCount ?? 0, hasMoreRows: table?.hasMoreRows ?? false,
            isReadOnly: entityNames[schema.name] != nil
                && (table?.key?.isImplicit == true || schema.kind == .view),
            notes: table?.notes ?? [], isUnreadable: table?.isUnreadable ?? false)
    }

    private func role(
        of schema: SurveyedSchema.Table, _ table: SurveyedTable?
    ) -> DatabaseSurvey.Table.Role {
        if let name = entityNames[schema.name] { return .entity(name) }
        if let role = linkRoles[schema.name] { return role }
        if let refusal = table?.refusal {
            return .notTaken(reason: refusal.reason, remedy: refusal.remedy)
        }
        return switch schema.kind {
        case .view:
            inference.purpose == .reading
                ? .notTaken(
                    reason:
                        "a view is not read unless it is named, because its expressions come from the file",
                    remedy: "Name it in StoreOptions.readableViews, or list the tables that it reads.")
                : .notTaken(
                    reason: "a view has no rows of its own, so it cannot be written or tracked",
                    remedy: "List the tables that it reads, or copy its rows to a table.")
        case .virtualTable:
            .notTaken(
                reason: "a virtual table declares no key", remedy: "List the table on which it is based.")
        case .shadowTable:
            .notTaken(
                reason: "it is a part of a virtual table",
                remedy: "List the table on which the virtual table is based.")
        case .controlTable:
            .notTaken(
                reason: "names that begin with “sc_” are reserved for the tables of this library",
                remedy: "Rename the table if another program made it.")
        case .table: .notTaken(reason: "it has no usable key", remedy: "Add an INTEGER PRIMARY KEY.")
        }
    }

    private func column(
        _ column: SurveyedSchema.Column, in table: SurveyedTable
    ) -> DatabaseSurvey.Column {
        let role: DatabaseSurvey.Column.Role
        var note: String?
        let reference = inference.relationships(of: table).first { $0.columnName == column.name }
        if column.name == table.keyName {
            role = .key
        } else if let reference {
            role = .relationship(
                name: propertyNames[table.name]?[column.name] ?? column.name,
                entityName: entityName(reference.tableName))
            note = Self.note(on: reference)
        } else {
            switch attribute(of: column, in: table) {
            case .success(let inferred):
                let name = propertyNames[table.name]?[column.name] ?? column.name
                role = .attribute(name: name, inferred.type)
                note = inferred.note
            case .failure(let omission): role = .notTaken(reason: omission.reason)
            }
        }
        return DatabaseSurvey.Column(
            name: column.name, declaredType: column.declaredType, role: role, note: note)
    }

    private func linkColumn(
        _ column: SurveyedSchema.Column, in table: SurveyedTable
    ) -> DatabaseSurvey.Column {
        let reference = table.references.first { $0.columnName == column.name }
        return DatabaseSurvey.Column(
            name: column.name, declaredType: column.declaredType,
            role: reference.map { .linkEnd(entityName: entityName($0.tableName)) } ?? .key,
            note: reference.flatMap(Self.note))
    }

    private static func note(on reference: SurveyedTable.Reference) -> String? {
        reference.actionOnDelete == nil
            ? "a reference, because of its name and because every value is a key of “\(reference.tableName)”"
            : nil
    }
}
