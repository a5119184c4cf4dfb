/// The table of a relationship that is to-many on both sides or has no inverse: one row for each pair.
///
/// Its name is that of the relationship with a full stop, `Artwork.tags`, which no entity can have; or it is
/// an external table of another program.
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
    /// Whether the relationship has an inverse.
    package let hasInverse: Bool
    /// The external table as the relationship describes it; nil for the library's own table.
    package var existing: ExistingLinkTable?

    /// The table as written in SQL.
    package var tableSQL: String { "main." + name.quotedIdentifier }
    /// Whether the keys of the sources are a column of the targets' table, so that a pair is not a row.
    package var isColumnOfTargets: Bool { existing != nil && name == targetTableName && !hasInverse }
    /// The column of the sources, as SQL.
    package var sourceSQL: String { existing?.ownColumn.columnIdentifier ?? "source" }
    /// The column of the targets, as SQL.
    package var targetSQL: String { existing?.otherColumn.columnIdentifier ?? "target" }
}
