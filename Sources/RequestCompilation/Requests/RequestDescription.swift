/// A request without the Swift type of its objects: what the compiler and the fingerprint see.
package struct RequestDescription: Hashable, Sendable {
    /// The entity to fetch.
    package var entityName: String
    /// Which objects; all if nil.
    package var predicate: PredicateTree?
    /// The order, without the final primary key.
    package var sort: [SortTerm]
    /// The greatest number of rows, or 0 for all.
    package var limit: Int
    /// How many rows to leave out.
    package var offset: Int
    /// Whether rows of sub-entities are found as well.
    package var includesSubentities = true
    /// Values whose rows come first, in the order of the values, before ``sort`` decides.
    package var precedence: Precedence?

    /// An order by a list of values.
    package struct Precedence: Hashable, Sendable {
        /// What is compared with the values.
        package let expression: KeyExpression
        /// The values, each once.
        package let values: [StoredValue]

        /// Makes an order.
        package init(_ expression: KeyExpression, _ values: [StoredValue]) {
            self.expression = expression
            self.values = values
        }
    }
}
