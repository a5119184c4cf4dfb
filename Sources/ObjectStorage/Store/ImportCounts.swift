/// The numbers of rows and related objects of an import.
package struct ImportCounts: Hashable, Sendable {
    /// The number of rows that were new.
    package var inserted: Int
    /// The number of rows that the store had with other values.
    package var updated: Int
    /// The number of rows that the store had with equal values.
    package var unchanged: Int
    /// The number of bad records.
    package var skipped: Int
    /// The number of related objects that were created.
    package var createdRelated: Int
    /// The number of records that were rows of the store after the import.
    package var rows: Int { inserted + updated + unchanged }

    /// Creates counts.
    package init(
        inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, skipped: Int = 0, createdRelated: Int = 0
    ) {
        self.inserted = inserted
        self.updated = updated
        self.unchanged = unchanged
        self.skipped = skipped
        self.createdRelated = createdRelated
    }
}

/// The columns of tables with counts.
extension ImportCounts {
    /// The names of the columns, for statements.
    static let columns = "inserted, updated, unchanged, skipped, related"

    /// The declarations of the columns.
    static let columnsSQL = """
        inserted INTEGER NOT NULL, updated INTEGER NOT NULL, unchanged INTEGER NOT NULL,
        skipped INTEGER NOT NULL, related INTEGER NOT NULL
        """

    /// The values of the columns.
    var values: [StoredValue] {
        [inserted, updated, unchanged, skipped, createdRelated].map { .integer(Int64($0)) }
    }

    /// Reads the values of the columns; nil for other values than counts.
    init?(_ values: some Collection<StoredValue>) {
        let counts = values.compactMap {
            if case .integer(let count) = $0 { Int(exactly: count) } else { nil }
        }
        guard counts.count == 5 else { return nil }
        self.init(
            inserted: counts[0], updated: counts[1], unchanged: counts[2], skipped: counts[3],
            createdRelated: counts[4])
    }
}
