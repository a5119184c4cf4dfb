import Foundation

/// Gives the letter under which a text stands in an index, under one locale.
///
/// Each letter met is worked out once and then remembered, because asking Foundation costs about a
/// microsecond.
final class Alphabet {
    /// What stands for a text that does not begin with a letter.
    static let rest = "#"

    private let locale: Locale
    private let order: LocalizedOrder
    private let diacritics: KeyExpression.Diacritics
    private let hasPlainASCII: Bool
    private var letters: [Character: String] = [:]

    init(locale identifier: String, diacritics: KeyExpression.Diacritics) {
        locale = Locale(identifier: identifier)
        order = LocalizedOrder.under(locale: identifier)
        self.diacritics = diacritics
        // Turkish and Azerbaijani have a dotted and a dotless i, so upper case is not what ASCII says.
        hasPlainASCII = !["tr", "az"].contains(locale.language.languageCode?.identifier ?? "")
    }

    /// The letter for a text given as UTF-8.
    ///
    /// - Complexity: O(1) for a letter met before.
    func letter(for text: UnsafeRawBufferPointer) -> String {
        var start = 0
        while start < text.count, text[start] == 0x20 || (0x09...0x0D).contains(text[start]) { start += 1 }
        guard start < text.count else { return Self.rest }
        let first = text[start]
        let isPlain = first < 0x80 && (start + 1 == text.count || text[start + 1] < 0x80)
        if isPlain {
            let lowercased = first | 0x20
            guard (0x61...0x7A).contains(lowercased) else { return Self.rest }
            if hasPlainASCII { return String(UnicodeScalar(first & 0xDF)) }
        }
        // The first user-perceived character needs a few scalars of context at the most.
        let end = min(text.count, start + 64)
        let piece = String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
        guard let character = piece.first(where: { !$0.isWhitespace }) else { return Self.rest }
        if let letter = letters[character] { return letter }
        let letter = work(out: character)
        letters[character] = letter
        return letter
    }

    /// In the composed form, whichever way the text is written: the letter stands for all texts that begin
    /// with it.
    private func work(out character: Character) -> String {
        letter(of: character).precomposedStringWithCanonicalMapping
    }

    private func letter(of character: Character) -> String {
        guard character.isLetter else { return Self.rest }
        guard let upper = String(character).uppercased(with: locale).first else { return Self.rest }
        guard diacritics == .together else { return String(upper) }
        let folded = String(upper).folding(
            options: [.diacriticInsensitive, .widthInsensitive], locale: locale)
        guard let base = folded.first, base != upper else { return String(upper) }
        // A marked letter is one of its own where words beginning with it stand after all words beginning
        // with the plain letter, as Ö does in Swedish; elsewhere it stands among them.
        let isLetterOfItsOwn = order.key(of: "\(base)zzzz").lexicographicallyPrecedes(
            order.key(of: String(upper)))
        return String(isLetterOfItsOwn ? upper : base)
    }
}
