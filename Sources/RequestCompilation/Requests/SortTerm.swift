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
