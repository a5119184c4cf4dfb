import ObjectStorage

/// The tables and columns that a writer of a store keeps consistent.
struct WritingPlan: Sendable {
    /// The table of a hierarchy of entities.
    struct Table: Sendable {
        /// The name as in the schema.
        let name: String
        /// The number of the entity at the top, whose row in `Z_PRIMARYKEY` contains the largest key of the
        /// table.
        let rootNumber: Int64
        /// The names of the entities by their numbers.
        let entityNames: [Int64: String]
        /// The columns whose changes are changes of a row: all but those that triggers and the writer
        /// compute.
        let watchedColumns: [String]
        /// The columns with keys of other rows.
        let references: [Reference]
        /// The columns of values that may be in files beside the store.
        let fileColumns: [String]
    }

    /// A column with the keys of other rows.
    struct Reference: Hashable, Sendable {
        /// The column.
        let column: String
        /// The numbers of the entities whose rows have the relationship.
        let entityNumbers: [Int64]
        /// The table of the destination.
        let destination: String
        /// The column with the number of the destination's entity: `Z1_BOOK`.
        let classColumn: String?
        /// The column of positions in the ordered inverse: `Z_FOK_BOOK`.
        let orderColumn: String?
    }

    /// A table of pairs.
    struct Pairs: Sendable {
        /// The name as in the schema.
        let name: String
        /// The columns of keys, with the tables of these keys and the columns that order the other keys of
        /// each.
        let ends: [End]
    }

    /// One of two columns of a table of pairs.
    struct End: Sendable {
        /// The column.
        let column: String
        /// The table of the keys.
        let table: String
        /// The column of positions of the other keys, for each key of this column.
        let orderColumn: String?
    }

    /// The reasons why rows of entities cannot be written, by entity.
    struct Refusals: Sendable {
        var insertions: [String: String] = [:]
        var updates: [String: String] = [:]
        var deletions: [String: String] = [:]
    }

    /// The tables of entities.
    let tables: [Table]
    /// The tables of pairs.
    let pairs: [Pairs]
    /// The reasons why rows cannot be written.
    private(set) var refusals: Refusals
    /// Whether the store has tables of a history.
    let hasHistory: Bool
    /// Whether the store has virtual tables, as for r-tree indexes.
    let hasVirtualTables: Bool
    /// The metadata when the store was opened.
    let metadata: CoreDataMetadata
    /// The count of schema changes when the store was opened.
    let schemaVersion: [[StoredValue]]

    /// Describes the tables of a mapping.
    ///
    /// - Parameter model: The model of the mapping.
    init(
        _ mapping: StoreMapping, _ model: ManagedObjectModel, _ metadata: CoreDataMetadata,
        in store: PreservedStore
    ) throws(ObjectStorageError) {
        self.metadata = metadata
        schemaVersion = try store.rows("PRAGMA main.schema_version")
        hasVirtualTables =
            try !store.rows(
                "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 LIMIT 1"
            ).isEmpty
        hasHistory = mapping.tables.tables["ATRANSACTION"] != nil || mapping.tables.tables["ACHANGE"] != nil
        pairs = model.linkTables.compactMap(Self.pairs)
        var refusals = Refusals()
        refusals.noteUnreadableParts(of: mapping)
        refusals.noteIncompleteRelationships(of: mapping)
        refusals.noteDoubts(of: mapping)
        refusals.noteRules(of: mapping, hasHistory: hasHistory)
        let families = Dictionary(grouping: mapping.names) {
            mapping.entities[$0]?.placement.table.name ?? ""
        }
        var tables: [Table] = []
        for (_, members) in families.sorted(by: { $0.key < $1.key }) {
            if let table = Self.table(of: members, mapping, model, &refusals) { tables.append(table) }
        }
        self.tables = tables
        self.refusals = refusals
    }

    private static func pairs(of link: LinkTable) -> Pairs? {
        guard let table = link.existing, !link.isColumnOfTargets else { return nil }
        return Pairs(
            name: table.name,
            ends: [
                End(column: table.ownColumn, table: link.sourceTableName, orderColumn: table.orderColumn),
                End(
                    column: table.otherColumn, table: link.targetTableName,
                    orderColumn: table.inverseOrderColumn),
            ])
    }
}
