/// The table of one entity, or of all entities that inherit from each other: what the schema and migrations
/// work with.
struct EntityTable {
    /// A column of an attribute.
    struct AttributeColumn {
        let name: String
        /// The declared type; empty where entities keep values of different types in the column, so that
        /// SQLite converts none.
        var type: String
        /// The value of rows that other programs insert without one.
        let defaultValue: StoredValue
    }

    /// An index, also one that SQLite is to keep unique.
    struct Index {
        let name: String
        let columns: [String]
        let isUnique: Bool
        /// Which rows are in it, as SQL; nil for all.
        let condition: String?
    }

    /// The entities whose rows are in the table, that without a parent first.
    let entities: [EntityDescription]

    /// The entity that the table has its name of.
    var root: EntityDescription { entities[0] }

    /// The columns of attributes. Entities that have one of the same name share it.
    var attributes: [AttributeColumn] {
        var columns: [AttributeColumn] = []
        for (position, entity) in entities.enumerated() {
            for attribute in entity.ownAttributes where !attribute.isTransient {
                let type = attribute.type.columnType
                if let place = columns.firstIndex(where: { $0.name == attribute.name }) {
                    if columns[place].type != type { columns[place].type = "" }
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

    /// The to-one relationships, each column once.
    var toOneRelationships: [RelationshipDescription] {
        var relationships: [RelationshipDescription] = []
        for relationship in entities.flatMap(\.ownRelationships) where !relationship.isToMany {
            if !relationships.contains(where: { $0.name == relationship.name }) {
                relationships.append(relationship)
            }
        }
        return relationships
    }

    /// The to-one relationships that have a column for a place in their inverse's order.
    var orderedToOneNames: [String] {
        entities.flatMap(\.orderedToOneNames).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The indexes, each once: of unique and indexed attributes, of to-one relationships, which their
    /// inverses read, and those over several columns. Where rows are told apart by their entity, so do the
    /// indexes that are not unique, and what a sub-entity wants to be unique is so among its rows.
    var indexes: [Index] {
        let kind = root.kindSQL
        var indexes: [Index] = []
        func add(_ columns: [String], isUnique: Bool, of entity: EntityDescription, as name: String) {
            let name = "sc_\(entity.name)_\(name)"
            let columns = columns.map(\.quotedIdentifier)
            if isUnique {
                let condition = entity.parentName == nil ? nil : entity.indexKindCondition()
                return indexes.append(
                    Index(name: name, columns: columns, isUnique: true, condition: condition))
            }
            let all = columns + (kind.map { [$0] } ?? [])
            // Siblings that share a column share its index.
            let isThere = indexes.contains { !$0.isUnique && $0.columns == all }
            guard kind == nil || !isThere else { return }
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
