package import ObjectModel

/// A column of a result that is not an object.
package enum ValueColumn: Hashable, Sendable {
    /// The value of an expression.
    case value(KeyExpression)
    /// An aggregate over all rows, or over each group.
    case aggregate(AggregateTerm)
}

/// The columns of a result without objects, with the operations on its rows.
package struct ValueColumns: Hashable, Sendable {
    /// The columns in their order.
    package var columns: [ValueColumn]
    /// Whether equal rows are combined into one.
    package var isDistinct = false
    /// The expressions by which rows are grouped.
    package var groups: [KeyExpression] = []
    /// The condition that groups fulfil; nil for all groups.
    package var condition: Condition?

    /// A comparison of an aggregate with a constant.
    package struct Condition: Hashable, Sendable {
        /// The aggregate of a group.
        package let aggregate: AggregateTerm
        /// The SQL operator.
        package let symbol: String
        /// The constant on its right side.
        package let value: StoredValue

        /// Creates a comparison of an aggregate with a constant.
        package init(aggregate: AggregateTerm, symbol: String, value: StoredValue) {
            self.aggregate = aggregate
            self.symbol = symbol
            self.value = value
        }
    }

    /// Creates the columns of a result without objects.
    package init(
        columns: [ValueColumn], isDistinct: Bool = false, groups: [KeyExpression] = [],
        condition: Condition? = nil
    ) {
        self.columns = columns
        self.isDistinct = isDistinct
        self.groups = groups
        self.condition = condition
    }
}
