import ModelReading
import ObjectStorage

extension WritingPlan {
    /// Describes the table of a hierarchy of entities.
    ///
    /// - Parameters:
    ///   - members: The names of the entities.
    ///   - refusals: Receives the entities whose rows have columns of unknown meaning.
    static func table(
        of members: [String], _ mapping: StoreMapping, _ model: ManagedObjectModel,
        _ refusals: inout Refusals
    ) -> Table? {
        guard let first = members.first.flatMap({ mapping.entities[$0] }) else { return nil }
        let table = first.placement.table
        guard let root = mapping.entities[first.placement.rootName] else { return nil }
        let triggered = mapping.rules?.triggerColumns[table.name.uppercased()] ?? []
        let classColumns = classColumns(of: members, table, mapping, &refusals)
        var references: [Reference] = []
        var columns: [String] = []
        var fileColumns: [String] = []
        for name in members {
            guard let entity = mapping.entities[name] else { continue }
            let numbers = mapping.family(of: name).compactMap { mapping.entities[$0]?.placement.number }
            columns += entity.columns.values
            columns += entity.orderColumns.values
            for attribute in entity.attributes where entity.externalAttributes.contains(attribute.name) {
                if let column = entity.columns[attribute.name] { fileColumns.append(column) }
            }
            for relationship in entity.relationships where !relationship.isToMany {
                guard let column = entity.columns[relationship.name],
                    let destination = mapping.entities[relationship.destinationEntityName]
                else { continue }
                let classColumn = classColumns[Property(entityName: name, name: relationship.name)]
                if classColumn == nil, mapping.family(of: relationship.destinationEntityName).count > 1 {
                    refusals.note(
                        mapping.family(of: name),
                        "the table \(table.name) has no column for the entity of “\(relationship.name)”.")
                }
                references.append(
                    Reference(
                        column: column, entityNumbers: numbers, destination: destination.placement.table.name,
                        classColumn: classColumn, orderColumn: entity.orderColumns[relationship.name]))
            }
        }
        references += oneWayReferences(to: table, mapping, model, &refusals)
        columns += references.flatMap { [$0.column, $0.orderColumn].compactMap(\.self) }
        let known = Set(
            (columns + references.compactMap(\.classColumn)).map { $0.uppercased() }
                + ["Z_PK", "Z_ENT", "Z_OPT"])
        if let unknown = table.order.first(where: { !known.contains($0) }) {
            for name in members where refusals.insertions[name] == nil {
                refusals.insertions[name] =
                    "the table \(table.name) has the column \(unknown), and no property of the model explains it."
            }
        }
        return Table(
            name: table.name, rootNumber: root.placement.number,
            entityNames: members.reduce(into: [:]) { names, name in
                if let number = mapping.entities[name]?.placement.number { names[number] = name }
            },
            watchedColumns: Set(columns).filter { !triggered.contains($0.uppercased()) }.sorted(),
            references: Array(Set(references)).sorted {
                ($0.column, $0.destination) < ($1.column, $1.destination)
            },
            fileColumns: Set(fileColumns).sorted())
    }

    /// Finds the columns with the entities of destinations. Their names begin with the number of the
    /// destination that the model declares: `Z1_BOOK`.
    ///
    /// - Parameter refusals: Receives the entities whose columns are not certain.
    private static func classColumns(
        of members: [String], _ table: StoreTables.Table, _ mapping: StoreMapping,
        _ refusals: inout Refusals
    ) -> [Property: String] {
        var claims = ColumnClaims()
        for name in members {
            guard let entity = mapping.entities[name] else { continue }
            for relationship in entity.relationships where !relationship.isToMany {
                let destination = relationship.destinationEntityName
                guard let number = mapping.entities[destination]?.placement.number else { continue }
                claims.add(
                    relationship.name, of: name, number: entity.placement.number, prefix: "Z\(number)_")
            }
        }
        let found = claims.columns(of: table, areRelated: mapping.areRelated)
        var columns: [Property: String] = [:]
        for (claim, assignment) in found {
            columns[Property(entityName: claim.entityName, name: claim.property)] = assignment.column
            guard let doubt = assignment.doubt else { continue }
            refusals.note(
                mapping.family(of: claim.entityName),
                "the column for the entity of “\(claim.property)” is not certain: \(doubt)")
        }
        return columns
    }

    /// A property and the entity that declares it.
    private struct Property: Hashable {
        let entityName: String
        let name: String
    }

    /// Describes the columns of relationships to this table that have no inverse.
    private static func oneWayReferences(
        to table: StoreTables.Table, _ mapping: StoreMapping, _ model: ManagedObjectModel,
        _ refusals: inout Refusals
    ) -> [Reference] {
        model.linkTables.filter { $0.isColumnOfTargets && $0.name == table.name }.compactMap { link in
            guard let existing = link.existing else { return nil }
            let family = mapping.family(of: link.targetEntityName)
            let numbers = family.compactMap { mapping.entities[$0]?.placement.number }
            if mapping.names.count(where: {
                mapping.entities[$0]?.placement.table.name == link.sourceTableName
            }) > 1 {
                refusals.note(
                    family,
                    "“\(link.sourceEntityName)” leads to it without an inverse and shares its table with other entities, and the columns of such relationships are not known."
                )
            }
            return Reference(
                column: existing.ownColumn, entityNumbers: numbers, destination: link.sourceTableName,
                classColumn: nil, orderColumn: existing.orderColumn)
        }
    }
}

extension WritingPlan.Refusals {
    /// Refuses the insertion and the update of entities, unless another reason is known.
    mutating func note(_ names: [String], _ reason: String) {
        for name in names {
            insertions[name] = insertions[name] ?? reason
            updates[name] = updates[name] ?? reason
        }
    }

    /// Refuses writes to entities of which the mapping lacks parts.
    mutating func noteUnreadableParts(of mapping: StoreMapping) {
        for part in mapping.unreadableParts {
            guard let name = part.entityName else { continue }
            guard let property = part.propertyName, let entity = mapping.entities[name] else {
                // Rows of a missing entity may lead to any other row.
                for other in mapping.names where deletions[other] == nil {
                    deletions[other] = "“\(name)” is not readable, and may lead to it. \(part.reason)"
                }
                continue
            }
            for member in mapping.family(of: name) where insertions[member] == nil {
                insertions[member] = "“\(property)” is not readable: \(part.reason)"
            }
            let relationship = entity.description.relationships.first { $0.name == property }
            guard let destination = relationship?.destinationEntityName else { continue }
            for member in mapping.family(of: destination) + mapping.family(of: name)
            where deletions[member] == nil {
                deletions[member] = "“\(name).\(property)” is not readable: \(part.reason)"
            }
        }
    }

    /// Refuses writes to entities with relationships of which the mapping lacks a part: the inverse, which a
    /// save would not change, or the order, which it would not keep.
    mutating func noteIncompleteRelationships(of mapping: StoreMapping) {
        for name in mapping.names {
            guard let entity = mapping.entities[name] else { continue }
            for relationship in entity.relationships {
                let described = entity.description.relationships.first { $0.name == relationship.name }
                guard let described else { continue }
                let title = "“\(name).\(relationship.name)”"
                if let inverse = described.inverseName, relationship.inverseName == nil {
                    note(mapping.family(of: name), "the inverse “\(inverse)” of \(title) is not readable.")
                }
                if described.isOrdered, !relationship.isOrdered {
                    note(
                        mapping.family(of: name)
                            + mapping.family(of: relationship.destinationEntityName),
                        "the order of \(title) is not readable.")
                }
            }
        }
    }

    /// Refuses writes to entities whose tables, numbers or columns are not certain.
    mutating func noteDoubts(of mapping: StoreMapping) {
        for doubt in mapping.doubts {
            guard let entity = mapping.entities[doubt.entityName] else { continue }
            var members = mapping.family(of: doubt.entityName)
            var title = "the assignment of “\(doubt.entityName)”"
            var isReference = doubt.property == nil
            if let property = doubt.property {
                guard entity.has(property) else { continue }
                title = "the assignment of “\(doubt.entityName).\(property)”"
                if let relationship = entity.relationships.first(where: { $0.name == property }) {
                    members += mapping.family(of: relationship.destinationEntityName)
                    isReference = true
                }
            }
            let reason = "\(title) is not certain: \(doubt.reason)"
            note(members, reason)
            // A deletion follows references, and the rules of its entity.
            for member in members where isReference && deletions[member] == nil {
                deletions[member] = reason
            }
        }
    }

    /// Refuses writes to entities with rules that the library cannot keep.
    mutating func noteRules(of mapping: StoreMapping, hasHistory: Bool) {
        guard let rules = mapping.rules else { return }
        for (name, unchecked) in rules.model.uncheckedRules {
            guard let rule = unchecked.min(by: { $0.key < $1.key }) else { continue }
            note(mapping.family(of: name), "a rule of “\(rule.key)” cannot be checked: \(rule.value)")
        }
        for (name, derived) in rules.model.derivedAttributes {
            guard let entity = mapping.entities[name] else { continue }
            let columns = rules.triggerColumns[entity.placement.table.name.uppercased()] ?? []
            for attribute in derived.sorted() {
                guard let column = entity.columns[attribute], !columns.contains(column.uppercased()) else {
                    continue
                }
                note(
                    mapping.family(of: name),
                    "“\(attribute)” is derived, and no trigger of the store computes it.")
            }
        }
        for (name, preserved) in rules.model.preservedAttributes where hasHistory {
            for member in mapping.family(of: name) where deletions[member] == nil {
                deletions[member] =
                    "the history of changes keeps values of deleted objects (\(preserved.sorted().joined(separator: ", "))), and their columns are not known."
            }
        }
    }
}
