/// A table that somebody else made, as the place of an entity's rows.
///
/// ```swift
/// ExistingTable(
///     name: "albums", primaryKey: "AlbumId", columns: ["title": "Title", "artist": "ArtistId"],
///     links: ["tags": ExistingLinkTable(name: "album_tag", ownColumn: "album", otherColumn: "tag")])
/// ```
///
/// The table's shape is its owner's: nothing of it is made, changed or migrated here. What the description
/// says is compared with the database when a container opens it.
public struct ExistingTable: Hashable, Sendable {
    /// The table's name, in the letters that its owner gave it.
    public let name: String
    /// The column whose integers are the objects' keys: the `INTEGER PRIMARY KEY`, or one that is declared to
    /// be unique, not null and of an integer type.
    public let primaryKey: String
    /// The columns of the properties that are called otherwise than their columns.
    public let columns: [String: String]
    /// The forms of the columns that have their values otherwise than a store of ours, by the names of
    /// attributes.
    public let forms: [String: Form]
    /// The tables of the relationships to many that are kept in pairs of keys.
    public let links: [String: ExistingLinkTable]

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - name: The name as it stands in the schema, upper and lower case included. It may have any
    ///     characters.
    ///   - primaryKey: The column of the keys, which must be declared: SQLite may number rows without one
    ///     anew.
    ///   - columns: Columns by the names of attributes and to-one relationships; only where the two differ.
    ///   - forms: Forms of values by the names of attributes; only where they are not the usual ones.
    ///   - links: Link tables by the names of to-many relationships whose inverse is to-many as well, or
    ///     missing. One of two inverse relationships has it.
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

/// Holds an entity's mapping.
final class TableMapping: Sendable {
    let table: ExistingTable

    init(_ table: ExistingTable) { self.table = table }
}

/// A table of pairs of keys that somebody else made, as the place of a relationship from many to many.
///
/// No two of its rows may have the same pair: a primary key or unique index over both columns sees to that.
public struct ExistingLinkTable: Hashable, Sendable, Codable {
    /// The table's name, in the letters that its owner gave it.
    public let name: String
    /// The column with the keys of the objects that have the relationship.
    public let ownColumn: String
    /// The column with the keys of the objects that it leads to.
    public let otherColumn: String
    /// The column with integers that order what an object leads to; nil for a relationship without an order.
    public let orderColumn: String?

    /// Describes a table of pairs.
    public init(name: String, ownColumn: String, otherColumn: String, orderColumn: String? = nil) {
        self.name = name
        self.ownColumn = ownColumn
        self.otherColumn = otherColumn
        self.orderColumn = orderColumn
    }
}
