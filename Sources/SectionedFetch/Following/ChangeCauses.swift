import ObjectStorage

/// The rows by which the rows of the results changed: their own, and rows to which relationships lead.
struct ChangeCauses: Sendable {
    /// Changed rows of another table, and the rows of the results that lead to them.
    struct Related: Sendable {
        /// The names of the relationships.
        let path: [String]
        /// The entity at the end of the path.
        let entityName: String
        /// The keys of the changed rows.
        let changedKeys: Set<Int64>
        /// The keys of the rows of the results.
        let leadingKeys: Set<Int64>
    }

    /// Rows of the results whose to-many relationships lead or led to changed rows.
    struct Collection: Sendable {
        /// The names of the relationships, the last to-many one at the end.
        let path: [String]
        /// The keys of the rows of the results.
        let keys: Set<Int64>
    }

    /// The keys of rows of the results that changed themselves.
    var ownKeys: Set<Int64> = []
    /// The keys of those of them whose objects have not been merged yet; nil if that was not examined.
    var unmergedKeys: Set<Int64>?
    var related: [Related] = []
    var collections: [Collection] = []
}
