public import Foundation
public import ObjectStorage

/// Sections of texts.
extension SectionKey {
    /// Groups by the first letter of the text. See
    /// ``/ObjectStorage/KeyExpression/firstLetter(of:in:diacritics:)-(String,_,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet; English by default.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    public static func firstLetter(
        of path: String, in locale: Locale = Locale(identifier: "en"),
        diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        Self(.firstLetter(of: path, in: locale, diacritics: diacritics))
    }

    /// Groups by the first letter of the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet; English by default.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in locale: Locale = Locale(identifier: "en"),
        diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        Self(.firstLetter(of: keyPath, in: locale, diacritics: diacritics))
    }

    /// Groups by the first letter of a text.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    @available(*, deprecated, renamed: "firstLetter(of:in:diacritics:)")
    public static func firstLetter(
        of path: String, locale: Locale, diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        .firstLetter(of: path, in: locale, diacritics: diacritics)
    }

    /// Groups by the first letter of the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet.
    ///   - diacritics: Whether letters with marks are grouped with the plain letter.
    @available(*, deprecated, renamed: "firstLetter(of:in:diacritics:)")
    public static func firstLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, locale: Locale,
        diacritics: KeyExpression.Diacritics = .together
    ) -> Self {
        .firstLetter(of: keyPath, in: locale, diacritics: diacritics)
    }

    /// Groups by the index letter of the text. See
    /// ``/ObjectStorage/KeyExpression/indexLetter(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet; English by default.
    public static func indexLetter(of path: String, in locale: Locale = Locale(identifier: "en")) -> Self {
        Self(.indexLetter(of: path, in: locale))
    }

    /// Groups by the index letter of the text at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a string attribute, through declared properties. One that computes a
    ///     value traps.
    ///   - locale: The locale of the alphabet; English by default.
    public static func indexLetter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in locale: Locale = Locale(identifier: "en")
    ) -> Self {
        Self(.indexLetter(of: keyPath, in: locale))
    }

    /// Groups by the text without regard to case and marks; the text of a section's first row is its name.
    /// See ``/ObjectStorage/KeyExpression/foldedText(of:)-(String)``.
    ///
    /// - Parameter path: A dotted key path to a string attribute.
    public static func foldedText(of path: String) -> Self {
        Self(.foldedText(of: path), namedBy: .path(path))
    }

    /// Groups by the text at a Swift key path without regard to case and marks; the text of a section's first
    /// row is its name.
    ///
    /// - Parameter keyPath: The key path of a string attribute, through declared properties. One that
    ///   computes a value traps.
    public static func foldedText<Object: ManagedObject, Value>(of keyPath: KeyPath<Object, Value>) -> Self {
        Self(.foldedText(of: keyPath), namedBy: .path(keyPath))
    }
}
