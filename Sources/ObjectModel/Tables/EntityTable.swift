/// The table of one entity, or of all entities that inherit from each other, as the schema and migrations use
/// it.
package struct EntityTable {
    /// A column of an attribute.
    package struct AttributeColumn {
        /// The name of the attribute and the column.
        package let name: String
        /// The declared type; empty if entities store values of different types in the column, so that SQLite
        /// converts none of them.
        package var type: String
        /// The value of rows that other programs insert without one.
        package let defaultValue: StoredValue
    }

    /// An index; SQLite enforces the uniqueness of a unique one.
    package struct Index {
        /// The name of the index.
        package let name: String
        /// The indexed columns, as SQL.
        package let columns: [String]
        /// Whether rows must differ in the indexed columns.
        package let isUnique: Bool
        /// The condition for the rows that the index contains, as SQL; nil for all.
        package let condition: String?
    }

    /// The entities whose rows are in the table, the one without a parent first.
    package let entities: [EntityDescription]

    /// The entity without a parent; the library's own table has its name.
    package var root: EntityDescription { entities[0] }

    /// The columns of attributes. Entities with an attribute of the same name share its column.
    package var attributes: [AttributeColumn] {
        var columns: [AttributeColumn] = []
        for (position, entity) in entities.enumerated() {
            for attribute in entity.ownAttributes where !attribute.isTransient {
                let type = attribute.type.columnType
                if let index = columns.firstIndex(where: { $0.name == attribute.name }) {
                    if columns[index].type != type { columns[index].type = "" }
                    continue
                }
                // Rows of other entities have no value in a sub-entity's column.
                columns.append(
                    AttributeColumn(
                        name: attribute.name, type: type,
                        defaultValue: position == 0 ? attribute.defaultValue : .null))
            }
        }
        return columns
    }

    /// The to-one relationships; those that share a column appear once.
    package var toOneRelationships: [RelationshipDescription] {
        var relationships: [RelationshipDescription] = []
        for relationship in entities.flatMap(\.ownRelationships) where !relationship.isToMany {
            if !relationships.contains(where: { $0.name == relationship.name }) {
                relationships.append(relationship)
            }
        }
        return relationships
    }

    /// The to-one relationships that have a column for the position in their ordered inverse.
    package var orderedToOneNames: [String] {
        entities.flatMap(\.orderedToOneNames).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The indexes, each once: of unique and indexed attributes, of to-one relationships, which their
    /// inverses read, and those over several columns. If the table has rows of several entities, indexes that
    /// are not unique also contain the column of the entity, and a unique index of a sub-entity covers only
    /// the rows of that entity.
    package var indexes: [Index] {
        let entityColumn = root.concreteEntitySQL
        var indexes: [Index] = []
        func add(_ columns: [String], isUnique: Bool, of entity: EntityDescription, as name: String) {
            let name = "sc_\(entity.name)_\(name)"
            let columns = columns.map(\.quotedIdentifier)
            if isUnique {
                let condition = entity.parentName == nil ? nil : entity.indexConcreteEntityCondition()
                return indexes.append(
                    Index(name: name, columns: columns, isUnique: true, condition: condition))
            }
            let all = columns + (entityColumn.map { [$0] } ?? [])
            // Siblings that share a column share its index.
            let isThere = indexes.contains { !$0.isUnique && $0.columns == all }
            guard entityColumn == nil || !isThere else { return }
            indexes.append(Index(name: name, columns: all, isUnique: false, condition: nil))
        }
        for entity in entities {
            let stored = entity.ownAttributes.filter { !$0.isTransient }
            for attribute in stored where attribute.isUnique {
                add([attribute.name], isUnique: true, of: entity, as: attribute.name)
            }
            for attribute in stored where attribute.isIndexed && !attribute.isUnique {
                add([attribute.name], isUnique: false, of: entity, as: attribute.name)
            }
            for relationship in entity.ownRelationships where !relationship.isToMany {
                add([relationship.name], isUnique: false, of: entity, as: relationship.name)
            }
            // No property has a full stop in its name.
            for list in entity.uniquenessConstraints {
                add(list, isUnique: true, of: entity, as: "unique.\(list.joined(separator: "."))")
            }
            for list in entity.indexes {
                add(list, isUnique: false, of: entity, as: "index.\(list.joined(separator: "."))")
            }
        }
        if entities.count > 1 { add([], isUnique: false, of: root, as: ".entity") }
        return indexes
    }
}
