public import Foundation
import InternalUtilities
import ObjectModel

/// The letters of a complete alphabetic index in a locale, including those without rows.
///
/// ```swift
/// IndexAlphabet(Locale(identifier: "sv")).letters  // A, B … Z, Å, Ä, Ö
/// ```
///
/// The letters are CLDR's index characters for the locale, without those that the locale sorts as forms of
/// another letter, such as Á in Hungarian. Where the locale sorts Chinese characters by strokes, bopomofo or
/// radicals, they are the numbers of strokes (`5劃`), the letters or the radicals.
///
/// On systems without the collation of the toolchain, the letters are A to Z.
public struct IndexAlphabet: Hashable, Sendable {
    /// The identifier of the locale.
    private let locale: String
    /// The letters in the order of the locale, without ``rest``.
    public let letters: [String]

    /// The letter of texts that do not begin with a letter: `#`. These texts come before all letters.
    public static let rest = Alphabet.rest

    /// Creates the alphabet of a locale.
    ///
    /// - Parameter locale: The locale of the letters, of which only the identifier is used.
    /// - Complexity: Some tenths of a millisecond for the first use of a locale in a process, then O(1).
    public init(_ locale: Locale) {
        self.locale = locale.identifier
        letters = Self.alphabets.withLock { alphabets in
            if let known = alphabets[locale.identifier] { return known.letters }
            let shared = Shared(locale: locale.identifier)
            alphabets[locale.identifier] = shared
            return shared.letters
        }
    }

    /// Returns the letter under which the index lists a text, as
    /// ``KeyExpression/indexLetter(of:in:)-(String,_)`` does. It may be a letter of another script, which is
    /// not in ``letters``. A letter is listed under itself.
    ///
    /// - Parameter text: The text, which may be empty.
    /// - Complexity: About a microsecond.
    public func letter(for text: String) -> String {
        guard !letters.contains(text) else { return text }
        return Self.alphabets.withLock { alphabets in
            let shared = alphabets[locale] ?? Shared(locale: locale)
            alphabets[locale] = shared
            return shared.letter(for: text)
        }
    }

    /// Returns whether a letter, of the alphabet or another script, comes before another in the index.
    package func isAscending(_ first: String, _ second: String) -> Bool {
        let order = LocalizedOrder.under(locale: locale)
        return order.key(of: first).lexicographicallyPrecedes(order.key(of: second))
    }

    /// The alphabets of the process by locale. They are used by one thread at a time.
    private static let alphabets = LockedValue<[String: Shared]>([:])

    /// The alphabet of a locale.
    ///
    /// SAFETY: It is used only under the lock of ``alphabets``.
    private final class Shared: @unchecked Sendable {
        let letters: [String]
        private let alphabet: Alphabet

        init(locale: String) {
            alphabet = Alphabet(locale: locale, style: .index)
            letters = alphabet.indexLetters
        }

        func letter(for text: String) -> String {
            var text = text
            return text.withUTF8 { alphabet.letter(for: UnsafeRawBufferPointer($0)) }
        }
    }
}
