/// The table of a relationship that leads to many objects on both sides, or has no way back: a row for each
/// pair.
///
/// Its name is that of the relationship with a full stop, `Artwork.tags`, which no entity can have; or it is
/// somebody else's table.
struct LinkTable: Hashable {
    /// The name of the SQLite table. One of ours is named after the relationship: of a relationship and its
    /// inverse, the one that comes first.
    let name: String
    /// The entity of the objects in the column of sources, to which the relationship belongs.
    let sourceEntityName: String
    /// The entity of the objects in the column of targets.
    let targetEntityName: String
    /// The table of the objects in the column for sources.
    let sourceTableName: String
    /// The table of the objects in the column for targets.
    let targetTableName: String
    /// Whether there is a column that orders the targets of a source.
    let hasSourcePosition: Bool
    /// Whether there is a column that orders the sources of a target.
    let hasTargetPosition: Bool
    /// Whether the relationship is its own inverse, so that each pair is there both ways.
    let isSymmetric: Bool
    /// Somebody else's table as the relationship describes it; nil for a table of ours.
    var existing: ExistingLinkTable?

    /// The table as SQL names it.
    var tableSQL: String { "main." + name.quotedIdentifier }
    /// The column of the sources, as SQL.
    var sourceSQL: String { existing?.ownColumn.columnIdentifier ?? "source" }
    /// The column of the targets, as SQL.
    var targetSQL: String { existing?.otherColumn.columnIdentifier ?? "target" }
}

/// A relationship as its end of a link table.
struct LinkEnd {
    /// The table.
    let table: LinkTable
    /// Whether the objects that have the relationship are the sources.
    let isForward: Bool

    /// The other end of the table.
    var opposite: LinkEnd { LinkEnd(table: table, isForward: !isForward) }
    /// The column of the objects that have the relationship.
    var ownColumn: String { isForward ? table.sourceSQL : table.targetSQL }
    /// The column of the objects that it leads to.
    var otherColumn: String { isForward ? table.targetSQL : table.sourceSQL }
    /// The column that orders what it leads to; nil if nothing does.
    var positionColumn: String? {
        if isForward {
            guard table.hasSourcePosition else { return nil }
            return table.existing?.orderColumn?.columnIdentifier ?? "sourcePosition"
        }
        return table.hasTargetPosition ? "targetPosition" : nil
    }
}

extension ManagedObjectModel {
    /// The end of a link table that a relationship is; nil for one that is kept in a column.
    func linkEnd(of relationship: RelationshipDescription, in entity: EntityDescription) -> LinkEnd? {
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

    /// Whether a relationship gives the table its name: the one that describes somebody else's table, or the
    /// first.
    private func isSource(
        _ relationship: RelationshipDescription, in entityName: String, of inverse: RelationshipDescription
    ) -> Bool {
        if existingLink(of: relationship, in: entityName) != nil { return true }
        if existingLink(of: inverse, in: relationship.destinationEntityName) != nil { return false }
        return (entityName, relationship.name) <= (relationship.destinationEntityName, inverse.name)
    }

    /// The table that the owner's table of an entity has for a relationship.
    private func existingLink(
        of relationship: RelationshipDescription, in entityName: String
    ) -> ExistingLinkTable? {
        guard hasExistingTables else { return nil }
        return entity(named: entityName)?.existingTable?.links[relationship.name]
    }

    /// All link tables, each once.
    var linkTables: [LinkTable] {
        entities.flatMap { entity in
            entity.ownRelationships.compactMap { relationship in
                linkEnd(of: relationship, in: entity).flatMap { $0.isForward ? $0.table : nil }
            }
        }
    }

    /// The ends of link tables at which objects of an entity may be, also those that no relationship of
    /// theirs leads from.
    func linkEnds(of entity: EntityDescription) -> [LinkEnd] {
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
            existing: existing)
    }
}
