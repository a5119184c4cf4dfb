/// An aggregate without the Swift type of the objects.
package struct AggregateTerm: Hashable, Sendable {
    /// What is computed.
    package enum Function: String, Hashable, Sendable {
        case count, countDistinct, sum, average, min, max
    }

    /// What is computed.
    package let function: Function
    /// What is aggregated; nil to count objects.
    package let expression: KeyExpression?
}
