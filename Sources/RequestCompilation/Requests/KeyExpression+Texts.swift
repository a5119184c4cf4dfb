public import Foundation
import ObjectModel

/// Keys of texts.
extension KeyExpression {
    /// Returns the first letter of a text as the locale's order determines it, in upper case, or `#` for a
    /// text that does not begin with a letter. A missing value stays missing.
    ///
    /// Ø is an O in English and “Ch” a separate letter in Czech; a text that begins with a space precedes all
    /// letters. So rows that are sorted by the text in ``TextOrder/localized(_:)`` of the same locale are
    /// grouped by their letters.
    ///
    /// Chinese characters are under the first letter of their pinyin in `zh`, and under their number of
    /// strokes (`5劃`) in `zh_Hant` and `zh-u-co-stroke`; kana are under the first kana of their row in `ja`,
    /// and Korean syllables under their initial consonant. In `zh`, the order places Latin letters after all
    /// Chinese characters, so their sections are separate: the Latin ones have the full-width letters `Ａ` to
    /// `Ｚ`. ``indexLetter(of:in:)-(String,_)`` combines both kinds of sections, and ignores leading quotation
    /// marks.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet: in Swedish Ö is a separate letter, and in Turkish i becomes İ.
    ///   - diacritics: Whether É is under E.
    public static func firstLetter(
        of path: String, in locale: Locale = Locale(identifier: "en"), diacritics: Diacritics = .together
    ) -> Self {
        Self(path: path, function: .firstLetter(locale: locale.identifier, diacritics: diacritics))
    }

    /// Returns the letter under which an alphabetic index lists a text, or `#` for a text that does not begin
    /// with a letter. A missing value stays missing.
    ///
    /// The letter is that of ``firstLetter(of:in:diacritics:)-(String,_,_)`` with two differences:
    ///
    /// * Leading blanks, punctuation and apostrophes are ignored: “¿Qué?” is under Q, “ʻAlī” under A.
    /// * In `zh`, Latin and Chinese texts of one letter share a section. Chinese characters without pinyin
    ///   are under `#`.
    ///
    /// The locale's order does not keep the texts of an index letter together. Sort by the text in
    /// ``TextOrder/indexed(_:)`` of the same locale, or by this expression first. The letters that a complete
    /// index shows are those of ``IndexAlphabet``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - locale: The locale of the alphabet.
    public static func indexLetter(of path: String, in locale: Locale = Locale(identifier: "en")) -> Self {
        Self(path: path, function: .indexLetter(locale: locale.identifier))
    }

    /// Returns a text without regard to case and marks, as `[cd]` in predicates compares it: “Café” and
    /// “CAFE” become “cafe”. A missing value stays missing.
    ///
    /// Sort by this expression first: no other order keeps all texts with equal results together.
    ///
    /// - Parameter path: A dotted key path to a string attribute.
    public static func foldedText(of path: String) -> Self { Self(path: path, function: .foldedText) }
}
