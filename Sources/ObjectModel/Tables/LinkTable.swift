/// The table of a relationship that is to-many on both sides or has no inverse: one row for each pair.
///
/// The library's own table has the name of the entity and the relationship, `Artwork.tags`. No entity can
/// have this name, because names of entities contain no full stop. An external table may have any name.
package struct LinkTable: Hashable {
    /// The name of the SQLite table. The library's own table is named after the relationship, or after the
    /// alphabetically first of a relationship and its inverse.
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
    /// Whether the relationship has an inverse.
    package let hasInverse: Bool
    /// The external table as the relationship describes it; nil for the library's own table.
    package var existing: ExistingLinkTable?

    /// The table as written in SQL.
    package var tableSQL: String { "main." + name.quotedIdentifier }
    /// Whether a column of the targets' table holds the keys of the sources, so that no separate row exists
    /// for a pair.
    package var isColumnOfTargets: Bool { existing != nil && name == targetTableName && !hasInverse }
    /// The column of the sources, as SQL.
    package var sourceSQL: String { existing?.ownColumn.columnIdentifier ?? "source" }
    /// The column of the targets, as SQL.
    package var targetSQL: String { existing?.otherColumn.columnIdentifier ?? "target" }
}
