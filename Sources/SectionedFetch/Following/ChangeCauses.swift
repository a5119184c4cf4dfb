import ObjectStorage

/// The causes of changed rows of the results: changes of the rows themselves, and of rows to which
/// relationships lead.
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
        /// The names of the relationships, up to the last to-many one.
        let path: [String]
        /// The keys of the rows of the results.
        let keys: Set<Int64>
    }

    /// The keys of rows of the results that changed themselves.
    var ownKeys: Set<Int64> = []
    /// The members of ``ownKeys`` whose objects the context has not merged yet; nil if they are unknown.
    var unmergedKeys: Set<Int64>?
    var related: [Related] = []
    var collections: [Collection] = []
}
