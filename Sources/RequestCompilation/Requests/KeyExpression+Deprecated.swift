public import Foundation
import ObjectModel

extension KeyExpression {
    /// Returns the first letter of a text, as ``firstLetter(of:in:diacritics:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    @available(*, deprecated, renamed: "firstLetter(of:in:diacritics:)")
    public static func firstLetter(
        of path: String, locale: Locale, diacritics: Diacritics = .together
    ) -> Self {
        .firstLetter(of: path, in: locale, diacritics: diacritics)
    }
}
