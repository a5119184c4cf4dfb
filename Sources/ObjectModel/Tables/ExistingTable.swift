/// A table of another program in which an entity stores its rows.
///
/// ```swift
/// ExistingTable(
///     name: "albums", primaryKey: "AlbumId", columns: ["title": "Title", "artist": "ArtistId"],
///     links: ["tags": ExistingLinkTable(name: "album_tag", ownColumn: "album", otherColumn: "tag")])
/// ```
///
/// The library does not create, change or migrate the table. A container compares the description with the
/// database when it opens the store.
public struct ExistingTable: Hashable, Sendable {
    /// The table's name, in the upper and lower case of the schema.
    public let name: String
    /// The column whose integers are the objects' keys: the `INTEGER PRIMARY KEY`, or one that is declared
    /// unique, not null and of an integer type.
    public let primaryKey: String
    /// The columns of the properties whose names differ from their columns.
    public let columns: [String: String]
    /// The forms of the columns that store values differently from the library's own tables, by the names of
    /// attributes.
    public let forms: [String: Form]
    /// The link tables of the to-many relationships that are stored as pairs of keys.
    public let links: [String: ExistingLinkTable]

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - name: The name as in the schema, including upper and lower case. It may contain any characters.
    ///   - primaryKey: The column of the keys, which must be declared: SQLite may renumber rows without a
    ///     declared key.
    ///   - columns: Columns by the names of attributes and to-one relationships; only where the two differ.
    ///   - forms: Forms of values by the names of attributes; only where they differ from the usual ones.
    ///   - links: Link tables by the names of to-many relationships whose inverse is to-many as well, or
    ///     missing. Only one of two inverse relationships has an entry.
    public init(
        name: String, primaryKey: String, columns: [String: String] = [:], forms: [String: Form] = [:],
        links: [String: ExistingLinkTable] = [:]
    ) {
        self.name = name
        self.primaryKey = primaryKey
        self.columns = columns
        self.forms = forms
        self.links = links
    }
}

/// A reference to an entity's ``ExistingTable``, so that an entity does not contain its dictionaries.
package final class TableMapping: Sendable {
    /// The existing table.
    package let table: ExistingTable

    /// Creates a reference to a table.
    package init(_ table: ExistingTable) { self.table = table }
}

/// A table of another program with pairs of keys, in which a many-to-many relationship is stored.
///
/// No two of its rows may have the same pair: a primary key or unique index over both columns must ensure
/// this.
public struct ExistingLinkTable: Hashable, Sendable, Codable {
    /// The table's name, in the upper and lower case of the schema.
    public let name: String
    /// The column with the keys of the objects that have the relationship.
    public let ownColumn: String
    /// The column with the keys of the objects that it leads to.
    public let otherColumn: String
    /// The column with integers that order the objects to which it leads; nil for an unordered relationship.
    public let orderColumn: String?

    /// Describes a table of pairs.
    public init(name: String, ownColumn: String, otherColumn: String, orderColumn: String? = nil) {
        self.name = name
        self.ownColumn = ownColumn
        self.otherColumn = otherColumn
        self.orderColumn = orderColumn
    }
}
