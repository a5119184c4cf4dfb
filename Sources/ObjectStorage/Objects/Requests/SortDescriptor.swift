public import Foundation

/// How texts compare when they are sorted.
public struct TextOrder: Hashable, Sendable {
    /// The orders that there are.
    package enum Kind: Hashable, Sendable {
        case binary
        case caseInsensitive
        case localized(locale: String)
    }

    /// Which of them this is.
    package let kind: Kind

    /// By the bytes of their UTF-8: the order of Unicode code points, and the only one that an SQLite index
    /// can serve.
    public static let binary = Self(kind: .binary)
    /// By code points after Unicode's case folding, under no locale: the texts are equal that `[c]` in
    /// predicates calls equal.
    public static let caseInsensitive = Self(kind: .caseInsensitive)

    /// As people of a place expect it: the locale's collation, in which accents, case and width matter only
    /// where the letters are the same, and numbers by their value, so that 9 comes before 10.
    ///
    /// Texts are compared by the sort keys of Unicode's collation under the locale, numbers by value; equal
    /// keys by UTF-8 bytes. Unlike `localizedStandardCompare` on Linux it never contradicts itself.
    public static func localized(_ locale: Locale) -> Self {
        Self(kind: .localized(locale: locale.identifier))
    }
}

/// Where rows without a value stand.
public enum NullOrder: String, Hashable, Sendable {
    /// Before all values when ascending and after them when descending, as SQLite does by itself.
    case smallest
    /// Before all values.
    case first
    /// After all values.
    case last
}

/// One term of an order, without the Swift type of the objects.
package struct SortTerm: Hashable, Sendable {
    /// What to sort by.
    package let expression: KeyExpression
    /// Whether small values come first.
    package let isAscending: Bool
    /// How texts compare.
    package let order: TextOrder
    /// Where rows without a value stand.
    package let nulls: NullOrder
}

extension FetchRequest {
    /// One term of the order of the results.
    public struct SortDescriptor: Hashable, Sendable {
        /// The term without the Swift type of the objects.
        package let term: SortTerm

        private init(_ expression: KeyExpression, _ isAscending: Bool, _ order: TextOrder, _ nulls: NullOrder)
        {
            term = SortTerm(expression: expression, isAscending: isAscending, order: order, nulls: nulls)
        }

        /// Small values first, by a key path written as text, or by a computed value.
        public static func ascending(
            _ expression: KeyExpression, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(expression, true, order, nulls)
        }

        /// Large values first, by a key path written as text, or by a computed value.
        public static func descending(
            _ expression: KeyExpression, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(expression, false, order, nulls)
        }

        /// Small values first, by a Swift key path.
        public static func ascending<Value: AttributeValue>(
            _ keyPath: KeyPath<Object, Value>, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(.path(keyPath), true, order, nulls)
        }

        /// Large values first, by a Swift key path.
        public static func descending<Value: AttributeValue>(
            _ keyPath: KeyPath<Object, Value>, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(.path(keyPath), false, order, nulls)
        }
    }
}
