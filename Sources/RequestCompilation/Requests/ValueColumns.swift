/// A column of a result that is no object.
package enum ValueColumn: Hashable, Sendable {
    case value(KeyExpression)
    case aggregate(AggregateTerm)
}

/// The columns of a result that is no object, and what is done to its rows.
package struct ValueColumns: Hashable, Sendable {
    var columns: [ValueColumn]
    /// Whether equal rows are one.
    var isDistinct = false
    var groups: [KeyExpression] = []
    /// A comparison of an aggregate: its symbol and the constant.
    var condition: Condition?

    struct Condition: Hashable, Sendable {
        let aggregate: AggregateTerm
        let symbol: String
        let value: StoredValue
    }
}
