extension ManagedObjectModel {
    /// Returns a relationship's end of its link table; nil for a relationship that is stored in a column.
    package func linkEnd(of relationship: RelationshipDescription, in entity: EntityDescription) -> LinkEnd? {
        guard relationship.isToMany else { return nil }
        let entityName = entity.declaringEntityName(ofRelationshipNamed: relationship.name)
        let other = relationship.destinationEntityName
        guard
            let inverse = relationship.inverseName.flatMap({
                self.entity(named: other)?.relationship(named: $0)
            })
        else {
            return LinkEnd(
                table: linkTable(of: relationship, in: entityName, inverse: nil), isForward: true)
        }
        guard inverse.isToMany else { return nil }
        let isForward = isSource(relationship, in: entityName, of: inverse)
        let table =
            isForward
            ? linkTable(of: relationship, in: entityName, inverse: inverse)
            : linkTable(of: inverse, in: other, inverse: relationship)
        return LinkEnd(table: table, isForward: isForward)
    }

    /// Returns whether a relationship determines the table: the one that describes an external table, or the
    /// first in alphabetical order.
    private func isSource(
        _ relationship: RelationshipDescription, in entityName: String, of inverse: RelationshipDescription
    ) -> Bool {
        if existingLink(of: relationship, in: entityName) != nil { return true }
        if existingLink(of: inverse, in: relationship.destinationEntityName) != nil { return false }
        return (entityName, relationship.name) <= (relationship.destinationEntityName, inverse.name)
    }

    /// Returns the external link table that an entity's mapping describes for a relationship, if any.
    private func existingLink(
        of relationship: RelationshipDescription, in entityName: String
    ) -> ExistingLinkTable? {
        guard hasExistingTables else { return nil }
        return entity(named: entityName)?.existingTable?.links[relationship.name]
    }

    /// All link tables, each once.
    package var linkTables: [LinkTable] {
        entities.flatMap { entity in
            entity.ownRelationships.compactMap { relationship in
                linkEnd(of: relationship, in: entity).flatMap { $0.isForward ? $0.table : nil }
            }
        }
    }

    /// Returns the ends of link tables at which objects of an entity may be, including ends that belong to no
    /// relationship of the entity.
    package func linkEnds(of entity: EntityDescription) -> [LinkEnd] {
        linkTables.flatMap { table in
            var ends: [LinkEnd] = []
            if entity.isKind(ofEntityNamed: table.sourceEntityName) {
                ends.append(LinkEnd(table: table, isForward: true))
            }
            if !table.isSymmetric, entity.isKind(ofEntityNamed: table.targetEntityName) {
                ends.append(LinkEnd(table: table, isForward: false))
            }
            return ends
        }
    }

    private func linkTable(
        of relationship: RelationshipDescription, in entityName: String, inverse: RelationshipDescription?
    ) -> LinkTable {
        let isSymmetric =
            inverse?.name == relationship.name && relationship.destinationEntityName == entityName
        let existing = existingLink(of: relationship, in: entityName)
        let other = relationship.destinationEntityName
        return LinkTable(
            name: existing?.name ?? "\(entityName).\(relationship.name)", sourceEntityName: entityName,
            targetEntityName: other, sourceTableName: entity(named: entityName)?.tableName ?? entityName,
            targetTableName: entity(named: other)?.tableName ?? other,
            hasSourcePosition: relationship.isOrdered,
            hasTargetPosition: !isSymmetric && inverse?.isOrdered == true, isSymmetric: isSymmetric,
            hasInverse: inverse != nil,
            existing: existing)
    }
}
