import ObjectModel

/// The letters of an index under one locale, found by the weights with which the texts of a letter begin.
///
/// The lists are created on first use: nearly all texts begin with a letter of the first list.
package struct IndexLetters {
    private struct Letter {
        let name: String
        let weights: [UInt8]
    }

    private let locale: String
    private let order: LocalizedOrder
    private lazy var latin = letters(Self.latinLetters)
    private lazy var expected = letters(LocalizedOrder.indexLetters(locale: locale))
    private lazy var others = letters(Self.otherLetters)

    private static let latinLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
    /// Kana, which have the same weights as the small, voiced and katakana forms; the consonants with which
    /// Korean syllables begin; and full-width Latin letters, for locales that move a Latin letter elsewhere.
    private static let otherLetters =
        ("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん"
        + "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ" + "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ")
        .map(String.init)

    /// Creates the letters of a locale.
    init(locale: String, order: LocalizedOrder) {
        self.locale = locale
        self.order = order
    }

    /// Returns the letter with whose weights the given ones begin; nil if no list contains it.
    package mutating func letter(beginning weights: [UInt8]) -> String? {
        Self.letter(beginning: weights, in: latin) ?? Self.letter(beginning: weights, in: expected)
            ?? Self.letter(beginning: weights, in: others)
    }

    private static func letter(beginning weights: [UInt8], in letters: [Letter]) -> String? {
        letters.first { weights.starts(with: $0.weights) }?.name
    }

    private func letters(_ names: [String]) -> [Letter] {
        names.map { Letter(name: $0, weights: order.weights(of: $0)) }.filter { !$0.weights.isEmpty }
    }
}
