import Foundation

/// Gives the letter under which a text stands in an index, under one locale.
///
/// The locale's order decides, so that texts of one letter stand together in it: the letter is the one with
/// whose primary weights the text's begin. Ø is an O in English and a letter of its own in Danish, Æ an A,
/// “Ch” a letter in Czech, and what stands before all letters is under ``rest``, as is a text that begins with
/// a space.
///
/// The letter of each character met is worked out once and then remembered, because that takes some
/// microseconds, and rarely a hundred.
final class Alphabet {
    /// What stands for a text that does not begin with a letter.
    static let rest = "#"

    private let locale: Locale
    private let order: LocalizedOrder
    private let diacritics: KeyExpression.Diacritics
    private var indexLetters: IndexLetters
    /// With a first byte of their weights up to this, texts stand before all letters.
    private let lastBeforeLetters: UInt8
    /// What stands for texts that begin with an ASCII character and go on with another.
    private var asciiLetters = [ASCIILetter](repeating: .unknown, count: 128)
    /// What stands for texts whose weights begin with those of their first character, by that.
    private var letters: [Character: (weights: [UInt8], letter: String)] = [:]

    private enum ASCIILetter {
        case unknown
        case known(String)
        /// Counts as one with what may follow, or does not count.
        case depends
    }

    /// So many characters may count as one letter: “dzs” in Hungarian.
    private static let mostCharacters = 3

    init(locale identifier: String, diacritics: KeyExpression.Diacritics) {
        let order = LocalizedOrder.under(locale: identifier)
        self.order = order
        locale = Locale(identifier: identifier)
        self.diacritics = diacritics
        indexLetters = IndexLetters(locale: identifier, order: order)
        lastBeforeLetters = order.lastBeforeLetters
    }

    /// The letter for a text given as UTF-8.
    ///
    /// - Complexity: O(1) for a character met before: a microsecond, and some nanoseconds in ASCII.
    func letter(for text: UnsafeRawBufferPointer) -> String {
        guard let first = text.first else { return Self.rest }
        if first < 0x80, text.count == 1 || text[1] < 0x80, let letter = asciiLetter(first) { return letter }
        // A few characters need some scalars each at the most.
        let piece = UnsafeRawBufferPointer(rebasing: text[..<min(text.count, 96)])
        let characters = String(decoding: piece, as: UTF8.self)
        // Marks of direction, for instance, do not count.
        return letter(for: characters.prefix(Self.mostCharacters))
            ?? letter(
                for: characters.drop { order.weights(of: String($0)).isEmpty }.prefix(Self.mostCharacters))
            ?? Self.rest
    }

    /// The letter of a text that begins with some characters; nil if these do not count.
    private func letter(for characters: Substring) -> String? {
        let beginning = String(characters)
        let weights = order.weights(of: beginning)
        guard let first = weights.first, let character = beginning.first else { return nil }
        guard first > lastBeforeLetters else { return Self.rest }
        if let known = letters[character], weights.starts(with: known.weights) { return known.letter }
        let letter = work(out: beginning, weights)
        let own = order.weights(of: String(character))
        if !own.isEmpty, weights.starts(with: own) { letters[character] = (own, letter) }
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

    /// In the composed form, whichever way the text is written: the letter stands for all texts that begin
    /// with it.
    private func work(out beginning: String, _ weights: [UInt8]) -> String {
        let letter =
            switch diacritics {
            case .together:
                indexLetters.letter(beginning: weights) ?? otherLetter(beginning, weights) ?? beginning
            case .apart: letterWithMarks(beginning)
            }
        return letter.precomposedStringWithCanonicalMapping
    }

    private func letterWithMarks(_ beginning: String) -> String {
        guard let character = beginning.first, character.isLetter else { return Self.rest }
        return String(character).uppercased(with: locale).first.map(String.init) ?? Self.rest
    }

    /// The letter of a text that begins with none of the lists': the plainest that has the same weights.
    ///
    /// It may be the second character, as in Thai, where some vowels are written before the consonant that
    /// they are spoken after.
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

    /// Of the scalars near one with whose weights its own begin, the one with the fewest weights, and of those
    /// the first in the order.
    private func plainest(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        // None of these have others of the same weights, and there are tens of thousands.
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

    /// Where there are variants of letters that are elsewhere: Cyrillic for the most part.
    private static let blocksOfVariants: [ClosedRange<UInt32>] = [
        0x1C80...0x1CFF, 0x2C00...0x2DFF, 0xA600...0xA7FF, 0x1D000...0x1FFFF,
    ]
    /// Greek, Cyrillic, Hebrew and Arabic.
    private static let blocksOfLetters: [UInt32] = [0x300, 0x400, 0x500, 0x600]
}
