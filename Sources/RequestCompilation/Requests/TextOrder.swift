public import Foundation
import ObjectModel

/// The order of texts in a sort.
public struct TextOrder: Hashable, Sendable {
    /// The kinds of text orders.
    package enum Kind: Hashable, Sendable {
        /// The order of ``TextOrder/binary``, ``TextOrder/caseInsensitive``, ``TextOrder/localized(_:)`` or
        /// ``TextOrder/indexed(_:)``.
        case binary
        case caseInsensitive
        case localized(locale: String)
        case indexed(locale: String)
    }

    /// The kind of this order.
    package let kind: Kind

    /// The order of the UTF-8 bytes, which is that of Unicode code points. It is the only order that an
    /// SQLite index supports.
    public static let binary = Self(kind: .binary)
    /// The order of code points after Unicode's case folding, independent of locale. Texts are equal if `[c]`
    /// in predicates considers them equal.
    public static let caseInsensitive = Self(kind: .caseInsensitive)

    /// Returns the order of a locale's collation, in which accents, case and width matter only if the letters
    /// are equal, and digits are compared by their numeric value, so that 9 comes before 10.
    ///
    /// Texts are compared by the sort keys of Unicode's collation under the locale; texts with equal keys by
    /// their UTF-8 bytes. Unlike `localizedStandardCompare` on Linux, this order is consistent.
    ///
    /// - Parameter locale: The locale of the collation.
    public static func localized(_ locale: Locale) -> Self {
        Self(kind: .localized(locale: locale.identifier))
    }

    /// Returns the order of an alphabetic index: by ``KeyExpression/indexLetter(of:in:)-(String,_)``, then in
    /// ``localized(_:)`` without leading blanks, punctuation and apostrophes, then by UTF-8 bytes.
    ///
    /// So “ʻAlī” is next to “Ali”, and in `zh` Latin and Chinese texts of one letter are adjacent. Texts
    /// under `#` come first.
    ///
    /// - Parameter locale: The locale of the collation and the letters.
    public static func indexed(_ locale: Locale) -> Self {
        Self(kind: .indexed(locale: locale.identifier))
    }
}

/// The position of rows with a missing value.
public enum NullOrder: String, Hashable, Sendable {
    /// Before all values in ascending and after them in descending order, as in SQLite by default.
    case smallest
    /// Before all values.
    case first
    /// After all values.
    case last
}
