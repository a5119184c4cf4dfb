extension MigrationPlan {
    /// A relationship whose storage changes: one that was to-one and becomes to-many, or that has a new
    /// inverse.
    struct Move {
        /// The relationship of the new model.
        let relationship: RelationshipDescription
        /// The entity that has it.
        let entity: EntityDescription
        /// The end of the link table that will store it; nil for a column.
        let linkEnd: LinkEnd?
        /// The SQL that reads the pairs of objects from the store before the migration, see
        /// ``ManagedObjectModel/pairsSQL(of:in:isReversed:)``.
        let pairsSQL: String
    }

    /// Determines the relationships that move.
    ///
    /// - Parameter linksThatGoOn: The new link tables that are made from old ones.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/modelMismatch`` for a relationship
    ///   that leads to objects of another entity.
    static func moves(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, _ names: Names, _ steps: [MigrationStep],
        keeping linksThatGoOn: Set<LinkTable>
    ) throws(ObjectStorageError) -> [Move] {
        var moves: [Move] = []
        for entity in model.entities {
            for relationship in entity.ownRelationships {
                let end = model.linkEnd(of: relationship, in: entity)
                if relationship.isToMany {
                    guard let end, end.isForward, end.table.existing == nil,
                        !linksThatGoOn.contains(end.table)
                    else { continue }
                }
                let previous = names.previous(of: relationship, in: entity)
                // A relationship that was and stays to-one is copied with its row.
                if !relationship.isToMany, previous?.relationship.isToMany == false { continue }
                if let previous {
                    guard names.leads(previous.relationship, where: relationship, in: model) else {
                        guard step(from: previous.entity, to: entity, steps) == nil else { continue }
                        throw leadsElsewhere(relationship, of: entity, formerly: previous.relationship)
                    }
                }
                guard
                    let pairs = previous.map({ kept.pairsSQL(of: $0.relationship, in: $0.entity) })
                        ?? pairsOfWayBack(relationship, in: entity, kept, model, names)
                else { continue }
                moves.append(Move(relationship: relationship, entity: entity, linkEnd: end, pairsSQL: pairs))
            }
        }
        return moves
    }

    /// Returns the SQL that reads the pairs of a new relationship whose inverse already exists.
    private static func pairsOfWayBack(
        _ relationship: RelationshipDescription, in entity: EntityDescription, _ kept: ManagedObjectModel,
        _ model: ManagedObjectModel, _ names: Names
    ) -> String? {
        guard let other = model.entity(named: relationship.destinationEntityName),
            let inverse = relationship.inverseName.flatMap(other.relationship(named:)),
            let previous = names.previous(of: inverse, in: other),
            names.leads(previous.relationship, where: inverse, in: model)
        else { return nil }
        return kept.pairsSQL(of: previous.relationship, in: previous.entity, isReversed: true)
    }
}

extension ManagedObjectModel {
    /// Returns the SQL that reads the pairs of objects of a relationship, as rows of four: the key of the
    /// object that has it, the key of the object to which it leads, the position of the second among those of
    /// the first, and the position of the first among those of the second. Nil for external tables.
    ///
    /// - Parameter isReversed: Whether the two objects of a pair are exchanged.
    fileprivate func pairsSQL(
        of relationship: RelationshipDescription, in entity: EntityDescription, isReversed: Bool = false
    ) -> String? {
        guard let destination = self.entity(named: relationship.destinationEntityName),
            entity.mapping == nil, destination.mapping == nil
        else { return nil }
        func select(_ columns: [String], from table: String, where condition: String?) -> String {
            let order = isReversed ? [1, 0, 3, 2] : [0, 1, 2, 3]
            return "SELECT \(order.map { columns[$0] }.joined(separator: ", ")) FROM \(table)"
                + (condition.map { " WHERE " + $0 } ?? "")
        }
        /// Returns the columns of a to-one relationship: the object's key, the other's key, and the position
        /// in the inverse.
        func columns(of name: String, in entity: EntityDescription) -> (
            own: String, other: String, position: String
        ) {
            let position = EntityDescription.orderColumnName(ofToOneNamed: name)
            return (
                entity.keySQL, entity.columnSQL(name),
                entity.slotNames.contains(position) ? entity.columnSQL(position) : "NULL"
            )
        }
        func condition(_ column: String, _ entity: EntityDescription) -> String {
            "\(column) IS NOT NULL" + (entity.concreteEntityCondition().map { " AND " + $0 } ?? "")
        }
        if !relationship.isToMany {
            let (own, other, position) = columns(of: relationship.name, in: entity)
            return select(
                [own, other, "NULL", position], from: entity.tableSQL, where: condition(other, entity))
        }
        if let end = linkEnd(of: relationship, in: entity) {
            guard end.table.existing == nil else { return nil }
            return select(
                [
                    end.ownColumn, end.otherColumn, end.positionColumn ?? "NULL",
                    end.opposite.positionColumn ?? "NULL",
                ],
                from: end.table.tableSQL, where: nil)
        }
        guard let inverse = relationship.inverseName else { return nil }
        let (own, other, position) = columns(of: inverse, in: destination)
        return select(
            [other, own, position, "NULL"], from: destination.tableSQL, where: condition(other, destination))
    }
}
