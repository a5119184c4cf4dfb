import ObjectStorage

extension StoreMapping {
    /// Finds the columns of attributes and to-one relationships, and removes properties without a column.
    mutating func findColumns() {
        for (table, members) in families {
            var claims = ColumnClaims()
            for member in members {
                let number = entities[member.name]?.placement.number
                let toOne = member.relationships.filter { !$0.isToMany }
                let stored = member.attributes.filter { !$0.isTransient }
                for property in stored.map(\.name) + toOne.map(\.name) {
                    claims.add(property, of: member.name, number: number)
                }
                // A relationship that cannot be read may be to-one.
                for property in unknownProperties[member.name] ?? [] {
                    claims.add(property, of: member.name, number: nil)
                }
            }
            for (claim, assignment) in claims.columns(of: table, areRelated: areRelated) {
                guard let entity = entities[claim.entityName], entity.has(claim.property) else { continue }
                switch assignment {
                case .column(let column, let reason):
                    entities[claim.entityName]?.columns[claim.property] = column
                    if let reason { doubt(claim.entityName, claim.property, reason) }
                case .missing:
                    remove(
                        claim.property, of: claim.entityName,
                        because: "the table \(table.name) has no column \(claim.base) for it.")
                case .ambiguous:
                    remove(claim.property, of: claim.entityName, because: ambiguity(of: claim, in: table))
                }
            }
        }
    }

    /// Finds the columns of positions in ordered relationships. A relationship without such a column becomes
    /// unordered.
    mutating func findOrderColumns() {
        for (table, members) in families {
            var claims = ColumnClaims()
            for member in members {
                for relationship in member.relationships where isDescribedAsOrdered(inverseOf: relationship) {
                    claims.add(
                        relationship.name, of: member.name, number: entities[member.name]?.placement.number,
                        prefix: "Z_FOK_")
                }
            }
            for (claim, assignment) in claims.columns(of: table, areRelated: areRelated) {
                guard
                    let relationship = entities[claim.entityName]?.relationships.first(where: {
                        $0.name == claim.property
                    }), !relationship.isToMany, let (owner, ordered) = inverse(of: relationship),
                    ordered.isOrdered
                else { continue }
                switch assignment {
                case .column(let column, let reason):
                    entities[claim.entityName]?.orderColumns[claim.property] = column
                    if let reason { doubt(claim.entityName, claim.property, reason) }
                case .missing:
                    makeUnordered(ordered, of: owner, without: "\(claim.base) in the table \(table.name)")
                case .ambiguous:
                    makeUnordered(ordered, of: owner, because: ambiguity(of: claim, in: table))
                }
            }
        }
    }

    private func ambiguity(of claim: ColumnClaims.Claim, in table: StoreTables.Table) -> String {
        "several columns of the table \(table.name) are named \(claim.base), some with a digit, and one may belong to an entity or a property that cannot be read. Pass the model with which the store was written."
    }

    /// Makes a relationship unordered, because its column is missing.
    mutating func makeUnordered(
        _ relationship: RelationshipDescription, of entity: String, without column: String
    ) {
        makeUnordered(relationship, of: entity, because: "the store has no column \(column).")
    }

    private mutating func makeUnordered(
        _ relationship: RelationshipDescription, of entity: String, because reason: String
    ) {
        replace(relationship.unordered, of: entity)
        refuse(
            entity, relationship.name,
            "it is read as unordered, because its order is not readable: \(reason)")
    }

    /// Returns whether a relationship is to-one and its inverse is ordered.
    func isOrdered(inverseOf relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && inverse(of: relationship)?.1.isOrdered == true
    }

    /// Returns whether a relationship is to-one and its inverse is ordered in the store's model, whether or
    /// not both can be read.
    private func isDescribedAsOrdered(inverseOf relationship: RelationshipDescription) -> Bool {
        guard !relationship.isToMany, let name = relationship.inverseName else { return false }
        return lineage(of: relationship.destinationEntityName).contains { owner in
            described[owner]?.relationships.contains { $0.name == name && $0.isOrdered } == true
        }
    }

    /// The tables with all entities that the model has for their rows, also those that cannot be read.
    private var families: [(table: StoreTables.Table, members: [EntityDescription])] {
        var families: [(table: StoreTables.Table, members: [EntityDescription])] = []
        for (rootName, members) in hierarchies {
            guard let table = entities[rootName]?.placement.table else { continue }
            if let position = families.firstIndex(where: { $0.table.name == table.name }) {
                families[position].members += members
            } else {
                families.append((table, members))
            }
        }
        return families
    }
}
