import Foundation
import ObjectModel

/// One term of a sort order, without the Swift type of the objects.
package struct SortTerm: Hashable, Sendable {
    /// The expression to sort by.
    package let expression: KeyExpression
    /// Whether small values come first.
    package let isAscending: Bool
    /// The order of texts.
    package let order: TextOrder
    /// The position of rows with a missing value.
    package let nulls: NullOrder

    /// Creates one term of a sort order.
    package init(expression: KeyExpression, isAscending: Bool, order: TextOrder, nulls: NullOrder) {
        self.expression = expression
        self.isAscending = isAscending
        self.order = order
        self.nulls = nulls
    }
}
