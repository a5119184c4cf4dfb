import Foundation
import ObjectModel

/// Determines the index letter of a text under a locale.
///
/// The letter follows from the locale's order, so that texts of one letter are adjacent in it: the text's
/// primary weights begin with those of the letter. Ø is an O in English and a separate letter in Danish, Æ an
/// A, “Ch” a letter in Czech. A text that precedes all letters, such as one that begins with a space, has
/// ``rest``.
///
/// The letter of each character is computed once and cached, because this takes some microseconds, and rarely
/// a hundred.
package final class Alphabet {
    /// The rules by which letters are determined; the raw values are arguments of the SQL function.
    package enum Style: String, Hashable, Sendable {
        /// Letters as the order determines them, which group letters with marks.
        case together
        /// Letters with their marks.
        case apart
        /// Letters of an alphabetic index, which ignores leading marks.
        case index
    }

    /// The letter of a text that does not begin with a letter.
    package static let rest = "#"

    private let locale: Locale
    private let order: LocalizedOrder
    private let style: Style
    private var letters: IndexLetters
    /// The largest first byte of the weights of texts that precede all letters.
    private let lastBeforeLetters: UInt8
    /// The letters of texts that begin with one ASCII character followed by another.
    private var asciiLetters = [ASCIILetter](repeating: .unknown, count: 128)
    /// The letters of texts whose weights begin with those of their first character, by that character.
    private var knownLetters: [Character: (weights: [UInt8], letter: String)] = [:]

    private enum ASCIILetter {
        case unknown
        case known(String)
        /// The character may form one letter with the next, or is ignored.
        case depends
    }

    /// The largest number of characters that can form one letter: “dzs” in Hungarian.
    private static let mostCharacters = 3

    /// Creates the alphabet of a locale.
    init(locale identifier: String, style: Style) {
        let order = LocalizedOrder.under(locale: identifier)
        self.order = order
        locale = Locale(identifier: identifier)
        self.style = style
        letters = IndexLetters(locale: identifier, order: order, style: style)
        lastBeforeLetters = order.lastBeforeLetters
    }

    /// Returns the letter for a text given as UTF-8.
    ///
    /// - Complexity: O(1) for a character in the cache: a microsecond, and a few nanoseconds for ASCII.
    package func letter(for text: UnsafeRawBufferPointer) -> String {
        let text = style == .index ? LeadingMarks.skipping(text) : text
        guard let first = text.first else { return Self.rest }
        if first < 0x80, text.count == 1 || text[1] < 0x80, let letter = asciiLetter(first) { return letter }
        // This many bytes contain the first characters, unless these have very many marks.
        let piece = UnsafeRawBufferPointer(rebasing: text[..<min(text.count, 96)])
        let characters = String(decoding: piece, as: UTF8.self)
        // Some characters are ignored, such as marks of direction.
        return letter(for: characters.prefix(Self.mostCharacters))
            ?? letter(
                for: characters.drop { order.weights(of: String($0)).isEmpty }.prefix(Self.mostCharacters))
            ?? Self.rest
    }

    /// Returns the letter of a text that begins with the given characters; nil if these are all ignored.
    private func letter(for characters: Substring) -> String? {
        let beginning = String(characters)
        let weights = order.weights(of: beginning)
        guard let first = weights.first, let character = beginning.first else { return nil }
        guard first > lastBeforeLetters else { return Self.rest }
        if let known = knownLetters[character], weights.starts(with: known.weights) { return known.letter }
        let letter = work(out: beginning, weights)
        let own = order.weights(of: String(character))
        if !own.isEmpty, weights.starts(with: own) { knownLetters[character] = (own, letter) }
        return letter
    }

    private func asciiLetter(_ byte: UInt8) -> String? {
        if case .unknown = asciiLetters[Int(byte)] { asciiLetters[Int(byte)] = work(outASCII: byte) }
        guard case .known(let letter) = asciiLetters[Int(byte)] else { return nil }
        return letter
    }

    private func work(outASCII byte: UInt8) -> ASCIILetter {
        let character = String(UnicodeScalar(byte))
        let weights = order.weights(of: character)
        func keepsWeights(_ next: Character) -> Bool {
            order.weights(of: character + String(next)).starts(with: weights)
        }
        guard !order.isTailored || "abcdefghijklmnopqrstuvwxyz".allSatisfy(keepsWeights),
            let letter = letter(for: character[...])
        else { return .depends }
        return .known(letter)
    }

    /// Computes the letter. The result is in the composed form, even for a decomposed text, because the
    /// letter represents all texts that begin with it.
    private func work(out beginning: String, _ weights: [UInt8]) -> String {
        let letter =
            switch style {
            case .together: letters.letter(beginning: weights) ?? otherLetter(beginning, weights) ?? beginning
            case .apart: letterWithMarks(beginning)
            case .index: letters.letter(beginning: weights) ?? otherIndexLetter(beginning, weights)
            }
        return letter.precomposedStringWithCanonicalMapping
    }

    /// The letters of a complete index in the order of the locale, each once, although the locale's list may
    /// contain several forms of a letter.
    var indexLetters: [String] {
        let candidates = letters.candidates().map(\.precomposedStringWithCanonicalMapping)
        if letters.hasMarkers { return candidates }
        var seen: Set<String> = [Self.rest]
        return candidates.compactMap { candidate in
            var text = candidate
            let letter = text.withUTF8 { self.letter(for: UnsafeRawBufferPointer($0)) }
            return seen.insert(letter).inserted ? letter : nil
        }
    }

    /// Returns the index letter of a text that begins with none of the listed letters. In an index of Chinese
    /// characters, those without a group have no letter.
    private func otherIndexLetter(_ beginning: String, _ weights: [UInt8]) -> String {
        let isIdeographic = beginning.unicodeScalars.first?.properties.isIdeographic ?? false
        guard !isIdeographic || !letters.hasMarkers else { return Self.rest }
        return otherLetter(beginning, weights) ?? beginning
    }

    private func letterWithMarks(_ beginning: String) -> String {
        guard let character = beginning.first, character.isLetter else { return Self.rest }
        return String(character).uppercased(with: locale).first.map(String.init) ?? Self.rest
    }

    /// Returns the letter of a text that begins with none of the listed letters: the plainest form with the
    /// same weights.
    ///
    /// It may be the second character, as in Thai, where some vowels are written before the consonant after
    /// which they are spoken.
    private func otherLetter(_ beginning: String, _ weights: [UInt8]) -> String? {
        for character in beginning {
            let own = order.weights(of: String(character))
            guard !own.isEmpty, weights.starts(with: own) else { continue }
            let plain = String(character).decomposedStringWithCompatibilityMapping.unicodeScalars.first {
                let weights = order.weights(of: String($0))
                return !weights.isEmpty && own.starts(with: weights)
            }
            let nearest = (plain ?? character.unicodeScalars.first).map { String(plainest(of: $0)) }
            let forms = [nearest, plain.map { String($0) }, String(character)]
            for form in forms.compactMap(\.self) {
                for letter in [form.uppercased(with: locale), form]
                where weights.starts(with: order.weights(of: letter)) {
                    return letter
                }
            }
        }
        return nil
    }

    /// Returns, of the scalars near the given one whose weights begin its own, the one with the fewest
    /// weights, and among equals the first in the order.
    private func plainest(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Ideographs have no others with the same weights, and there are tens of thousands of them.
        guard !scalar.properties.isIdeographic else { return scalar }
        let weights = order.weights(of: String(scalar))
        var blocks = [scalar.value & ~0xFF]
        if scalar.properties.generalCategory == .nonspacingMark
            || Self.blocksOfVariants.contains(where: { $0.contains(scalar.value) })
        {
            blocks += Self.blocksOfLetters
        }
        var plainest = (scalar: scalar, weights: weights, key: order.key(of: String(scalar)))
        for value in blocks.flatMap({ $0...($0 | 0xFF) }) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let own = order.weights(of: String(scalar))
            guard !own.isEmpty, own.count <= plainest.weights.count, weights.starts(with: own) else {
                continue
            }
            let key = order.key(of: String(scalar))
            if own.count < plainest.weights.count || key.lexicographicallyPrecedes(plainest.key) {
                plainest = (scalar, own, key)
            }
        }
        return plainest.scalar
    }

    /// The blocks with variants of letters whose originals are in other blocks: mostly Cyrillic.
    private static let blocksOfVariants: [ClosedRange<UInt32>] = [
        0x1C80...0x1CFF, 0x2C00...0x2DFF, 0xA600...0xA7FF, 0x1D000...0x1FFFF,
    ]
    /// Greek, Cyrillic, Hebrew and Arabic.
    private static let blocksOfLetters: [UInt32] = [0x300, 0x400, 0x500, 0x600]
}
