/// The table of a relationship that leads to many objects on both sides, or has no way back: a row for each pair.
///
/// Its name is that of the relationship with a full stop, `Artwork.tags`, which no entity can have.
struct LinkTable: Hashable {
    /// The relationship that the table is named after. Of a relationship and its inverse it is the one that comes first.
    let name: String
    /// The entity of the objects in the column `source`, to which the relationship belongs.
    let sourceEntityName: String
    /// The entity of the objects in the column `target`.
    let targetEntityName: String
    /// The table of the objects in the column `source`.
    let sourceTableName: String
    /// The table of the objects in the column `target`.
    let targetTableName: String
    /// Whether the column `sourcePosition` orders the targets of a source.
    let hasSourcePosition: Bool
    /// Whether the column `targetPosition` orders the sources of a target.
    let hasTargetPosition: Bool
    /// Whether the relationship is its own inverse, so that each pair is there both ways.
    let isSymmetric: Bool
}

/// A relationship as its end of a link table.
struct LinkEnd {
    /// The table.
    let table: LinkTable
    /// Whether the objects that have the relationship are in the column `source`.
    let isForward: Bool

    /// The column of the objects that have the relationship.
    var ownColumn: String { isForward ? "source" : "target" }
    /// The column of the objects that it leads to.
    var otherColumn: String { isForward ? "target" : "source" }
    /// The column that orders what it leads to; nil if nothing does.
    var positionColumn: String? {
        if isForward {
            table.hasSourcePosition ? "sourcePosition" : nil
        } else {
            table.hasTargetPosition ? "targetPosition" : nil
        }
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
        let isForward = (entityName, relationship.name) <= (other, inverse.name)
        let table =
            isForward
            ? linkTable(of: relationship, in: entityName, inverse: inverse)
            : linkTable(of: inverse, in: other, inverse: relationship)
        return LinkEnd(table: table, isForward: isForward)
    }

    /// All link tables, each once.
    var linkTables: [LinkTable] {
        entities.flatMap { entity in
            entity.ownRelationships.compactMap { relationship in
                linkEnd(of: relationship, in: entity).flatMap { $0.isForward ? $0.table : nil }
            }
        }
    }

    private func linkTable(
        of relationship: RelationshipDescription, in entityName: String, inverse: RelationshipDescription?
    ) -> LinkTable {
        let isSymmetric =
            inverse?.name == relationship.name && relationship.destinationEntityName == entityName
        let other = relationship.destinationEntityName
        return LinkTable(
            name: "\(entityName).\(relationship.name)", sourceEntityName: entityName,
            targetEntityName: other, sourceTableName: entity(named: entityName)?.tableName ?? entityName,
            targetTableName: entity(named: other)?.tableName ?? other,
            hasSourcePosition: relationship.isOrdered,
            hasTargetPosition: !isSymmetric && inverse?.isOrdered == true, isSymmetric: isSymmetric)
    }
}
