/// The table of a relationship that is to-many on both sides or has no inverse: one row for each pair.
///
/// Its name is that of the relationship with a full stop, `Artwork.tags`, which no entity can have; or it is
/// an existing table of another program.
package struct LinkTable: Hashable {
    /// The name of the SQLite table. The library's own table is named after the relationship: of a
    /// relationship and its inverse, after the first in alphabetical order.
    package let name: String
    /// The name of the entity of the source objects, to which the relationship belongs.
    package let sourceEntityName: String
    /// The name of the entity of the target objects.
    package let targetEntityName: String
    /// The table of the source objects.
    package let sourceTableName: String
    /// The table of the target objects.
    package let targetTableName: String
    /// Whether a column orders the targets of a source.
    package let hasSourcePosition: Bool
    /// Whether a column orders the sources of a target.
    package let hasTargetPosition: Bool
    /// Whether the relationship is its own inverse, so that each pair is stored in both directions.
    package let isSymmetric: Bool
    /// The existing table as the relationship describes it; nil for the library's own table.
    package var existing: ExistingLinkTable?

    /// The table as written in SQL.
    package var tableSQL: String { "main." + name.quotedIdentifier }
    /// The column of the sources, as SQL.
    package var sourceSQL: String { existing?.ownColumn.columnIdentifier ?? "source" }
    /// The column of the targets, as SQL.
    package var targetSQL: String { existing?.otherColumn.columnIdentifier ?? "target" }
}

/// One end of a link table: the view of a relationship on it.
package struct LinkEnd {
    /// The table.
    package let table: LinkTable
    /// Whether the objects that have the relationship are the sources.
    package let isForward: Bool

    /// Creates an end of a link table.
    package init(table: LinkTable, isForward: Bool) {
        self.table = table
        self.isForward = isForward
    }

    /// The other end of the table.
    package var opposite: LinkEnd { LinkEnd(table: table, isForward: !isForward) }
    /// The column of the objects that have the relationship.
    package var ownColumn: String { isForward ? table.sourceSQL : table.targetSQL }
    /// The column of the objects to which it leads.
    package var otherColumn: String { isForward ? table.targetSQL : table.sourceSQL }
    /// The column that orders the objects to which it leads; nil for an unordered relationship.
    package var positionColumn: String? {
        if isForward {
            guard table.hasSourcePosition else { return nil }
            return table.existing?.orderColumn?.columnIdentifier ?? "sourcePosition"
        }
        return table.hasTargetPosition ? "targetPosition" : nil
    }
}

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

    /// Returns whether a relationship determines the table: the one that describes an existing table, or the
    /// first in alphabetical order.
    private func isSource(
        _ relationship: RelationshipDescription, in entityName: String, of inverse: RelationshipDescription
    ) -> Bool {
        if existingLink(of: relationship, in: entityName) != nil { return true }
        if existingLink(of: inverse, in: relationship.destinationEntityName) != nil { return false }
        return (entityName, relationship.name) <= (relationship.destinationEntityName, inverse.name)
    }

    /// Returns the existing link table that an entity's mapping describes for a relationship, if any.
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

    /// Returns the ends of link tables at which objects of an entity may be, including ends from which none
    /// of the entity's relationships leads.
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
            existing: existing)
    }
}
