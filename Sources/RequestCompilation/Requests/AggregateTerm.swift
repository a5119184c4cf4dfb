import ObjectModel

/// An aggregate, independent of the Swift type of the objects.
package struct AggregateTerm: Hashable, Sendable {
    /// The aggregate functions.
    package enum Function: String, Hashable, Sendable {
        /// The function of this name in SQL; `average` is `avg`, and `countDistinct` counts different values.
        case count, countDistinct, sum, average, min, max
    }

    /// The function.
    package let function: Function
    /// The aggregated expression; nil for a count of objects.
    package let expression: KeyExpression?

    /// Creates an aggregate without the Swift type of its objects.
    package init(function: Function, expression: KeyExpression?) {
        self.function = function
        self.expression = expression
    }
}
