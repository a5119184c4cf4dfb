/// The letters that stand in an index under one locale, by the weights with which texts begin that stand under
/// them.
///
/// The lists are made when they are first needed: nearly all texts begin with the first.
struct IndexLetters {
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
    /// Kana, also for the small, the voiced and the katakana, which have the same weights; the consonants with
    /// which Korean syllables begin; and Latin letters in a place that a locale has given to another.
    private static let otherLetters =
        ("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん"
        + "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ" + "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ")
        .map(String.init)

    init(locale: String, order: LocalizedOrder) {
        self.locale = locale
        self.order = order
    }

    /// The letter with whose weights those of a text begin; nil if it is in none of the lists.
    mutating func letter(beginning weights: [UInt8]) -> String? {
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
