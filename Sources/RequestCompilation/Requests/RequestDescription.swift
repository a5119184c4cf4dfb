package import ObjectModel

/// A request without the Swift type of its objects: the input of the compiler and of fingerprints.
package struct RequestDescription: Hashable, Sendable {
    /// The name of the entity to fetch.
    package var entityName: String
    /// The predicate of the objects; nil for all.
    package var predicate: PredicateTree?
    /// The order, without the final primary key.
    package var sort: [SortTerm]
    /// The largest number of rows, or 0 for all.
    package var limit: Int
    /// The number of rows to skip.
    package var offset: Int
    /// Whether rows of sub-entities are included.
    package var includesSubentities = true
    /// Values whose rows come first, in the order of the values; ``sort`` orders rows with equal values.
    package var precedence: Precedence?
    /// The key paths that the request does not read, and that an application shows for each object.
    package var displayedPaths: [String] = []

    /// Creates a request without the Swift type of its objects.
    package init(
        entityName: String,
        predicate: PredicateTree? = nil,
        sort: [SortTerm],
        limit: Int,
        offset: Int,
        includesSubentities: Bool = true,
        precedence: Precedence? = nil,
        displayedPaths: [String] = []
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.includesSubentities = includesSubentities
        self.precedence = precedence
        self.displayedPaths = displayedPaths
    }

    /// An order by a list of values.
    package struct Precedence: Hashable, Sendable {
        /// The expression that is compared with the values.
        package let expression: KeyExpression
        /// The values, each once.
        package let values: [StoredValue]

        /// Creates an order by a list of values.
        package init(_ expression: KeyExpression, _ values: [StoredValue]) {
            self.expression = expression
            self.values = values
        }
    }
}
