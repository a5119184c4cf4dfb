import ObjectStorage

extension StoreMapping {
    /// Finds the columns of attributes and to-one relationships, and removes properties without a column.
    mutating func findColumns() {
        for (table, members) in families {
            var claims = ColumnClaims()
            for name in members {
                guard let entity = entities[name] else { continue }
                let toOne = entity.relationships.filter { !$0.isToMany }
                let stored = entity.attributes.filter { !$0.isTransient }
                for property in stored.map(\.name) + toOne.map(\.name) {
                    claims.add(property, of: name, number: entity.placement.number)
                }
            }
            for (claim, column) in claims.columns(of: table, areRelated: areRelated) {
                if let column {
                    entities[claim.entityName]?.columns[claim.property] = column
                } else {
                    remove(
                        claim.property, of: claim.entityName,
                        because: "the table \(table.name) has no column \(claim.base) for it.")
                }
            }
        }
    }

    /// Finds the columns of positions in ordered relationships. A relationship without such a column becomes
    /// unordered.
    mutating func findOrderColumns() {
        for (table, members) in families {
            var claims = ColumnClaims()
            for name in members {
                guard let entity = entities[name] else { continue }
                for relationship in entity.relationships where isOrdered(inverseOf: relationship) {
                    claims.add(
                        relationship.name, of: name, number: entity.placement.number, prefix: "Z_FOK_")
                }
            }
            for (claim, column) in claims.columns(of: table, areRelated: areRelated) {
                entities[claim.entityName]?.orderColumns[claim.property] = column
                guard column == nil,
                    let relationship = entities[claim.entityName]?.relationships.first(where: {
                        $0.name == claim.property
                    }), let (owner, ordered) = inverse(of: relationship)
                else { continue }
                disorder(ordered, of: owner, without: "\(claim.base) in the table \(table.name)")
            }
        }
    }

    /// Makes a relationship unordered, because its column is missing.
    mutating func disorder(_ relationship: RelationshipDescription, of entity: String, without column: String)
    {
        replace(relationship.unordered, of: entity)
        refuse(
            entity, relationship.name,
            "its order is not readable, because the store has no column \(column). It is read as unordered.")
    }

    /// Returns whether a relationship is to-one and its inverse is ordered.
    func isOrdered(inverseOf relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && inverse(of: relationship)?.1.isOrdered == true
    }

    /// The tables with the names of their entities.
    private var families: [(table: StoreTables.Table, members: [String])] {
        var families: [(table: StoreTables.Table, members: [String])] = []
        for name in names {
            guard let table = entities[name]?.placement.table else { continue }
            if let position = families.firstIndex(where: { $0.table.name == table.name }) {
                families[position].members.append(name)
            } else {
                families.append((table, [name]))
            }
        }
        return families
    }
}
