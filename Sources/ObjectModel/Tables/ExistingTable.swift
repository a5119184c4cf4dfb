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
    /// The columns of positions in ordered to-many relationships, keyed by the names of their to-one
    /// inverses. Positions may have gaps.
    public let orderColumns: [String: String]
    /// The column that names the entity of a row; nil for a table with rows of only one entity. All entities
    /// of a table share this column.
    public let entityColumn: EntityColumn?
    /// The rules that a writer of the table must follow; nil for a table without such rules.
    package var rowRules: RowRules?

    /// A column that names the entity of each row, for entities that inherit from each other.
    public struct EntityColumn: Hashable, Sendable, Codable {
        /// The column's name.
        public let name: String
        /// The numbers that represent the entities of the table, by the entities' names.
        public let numbers: [String: Int64]

        /// Describes a column with the numbers of entities.
        ///
        /// - Parameters:
        ///   - name: The column's name.
        ///   - numbers: The numbers that represent the entities of the table, by the entities' names.
        public init(name: String, numbers: [String: Int64]) {
            self.name = name
            self.numbers = numbers
        }
    }

    /// Describes a table.
    ///
    /// A container opens a table with an ``entityColumn``, ``orderColumns`` or the form
    /// ``Form/prefixedBytes`` only for reading.
    ///
    /// - Parameters:
    ///   - name: The name as in the schema, including upper and lower case. It may contain any characters.
    ///   - primaryKey: The column of the keys, which must be declared: SQLite may renumber rows without a
    ///     declared key.
    ///   - columns: Columns by the names of attributes and to-one relationships; only where the two differ.
    ///   - forms: Forms of values by the names of attributes; only where they differ from the usual ones.
    ///   - links: Link tables by the names of to-many relationships whose inverse is to-many as well, or
    ///     missing. Only one of two inverse relationships has an entry. If a relationship has no inverse and
    ///     its keys are in a column of the destination's table, that table is the link table.
    ///   - orderColumns: Columns of positions by the names of to-one relationships whose inverses are
    ///     ordered.
    ///   - entityColumn: The column that names the entity of a row, if entities inherit from each other.
    public init(
        name: String, primaryKey: String, columns: [String: String] = [:], forms: [String: Form] = [:],
        links: [String: ExistingLinkTable] = [:], orderColumns: [String: String] = [:],
        entityColumn: EntityColumn? = nil
    ) {
        self.name = name
        self.primaryKey = primaryKey
        self.columns = columns
        self.forms = forms
        self.links = links
        self.orderColumns = orderColumns
        self.entityColumn = entityColumn
    }
}

/// A reference to an entity's ``ExistingTable``, so that an entity does not contain its dictionaries.
package final class TableMapping: Sendable {
    /// The external table.
    package let table: ExistingTable
    /// The columns of positions, and of the number of changes, by the names of their slots.
    package let orderColumnsBySlot: [String: String]

    /// Creates a reference to a table.
    package init(_ table: ExistingTable) {
        self.table = table
        orderColumnsBySlot = table.orderColumns.reduce(into: [:]) { columns, column in
            columns[EntityDescription.orderColumnName(ofToOneNamed: column.key)] = column.value
        }.merging(
            table.rowRules.map { [EntityDescription.versionSlotName: $0.versionColumn] } ?? [:]
        ) { first, _ in first }
    }
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
    /// The column with the keys of the objects to which the relationship leads.
    public let otherColumn: String
    /// The column with integers that order the objects to which the relationship leads; nil for an unordered
    /// relationship.
    public let orderColumn: String?
    /// The column with integers that order the objects of an ordered inverse; nil for an unordered inverse,
    /// or none.
    public let inverseOrderColumn: String?

    /// Describes a table of pairs.
    ///
    /// - Parameters:
    ///   - name: The table's name, in the upper and lower case of the schema.
    ///   - ownColumn: The column with the keys of the objects that have the relationship.
    ///   - otherColumn: The column with the keys of the objects to which the relationship leads.
    ///   - orderColumn: The column with integers that order the objects to which the relationship leads; nil
    ///     for an unordered relationship.
    ///   - inverseOrderColumn: The column with integers that order the objects of an ordered inverse; nil for
    ///     an unordered inverse, or none.
    public init(
        name: String, ownColumn: String, otherColumn: String, orderColumn: String? = nil,
        inverseOrderColumn: String? = nil
    ) {
        self.name = name
        self.ownColumn = ownColumn
        self.otherColumn = otherColumn
        self.orderColumn = orderColumn
        self.inverseOrderColumn = inverseOrderColumn
    }
}
