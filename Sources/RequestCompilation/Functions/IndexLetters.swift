import Foundation
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
    private let style: Alphabet.Style
    private lazy var latin = letters(Self.latinLetters)
    /// In the order of the locale, so that a letter precedes its forms with marks.
    private lazy var expected = letters(
        LocalizedOrder.indexLetters(locale: locale)
            .sorted { order.key(of: $0).lexicographicallyPrecedes(order.key(of: $1)) })
    private lazy var others = letters(Self.otherLetters)
    private lazy var markers = IndexMarkers(order: order)
    /// The rows of kana or the initial consonants of the locale's index, in order; none for other scripts.
    private lazy var rows = makeRows()

    /// The 26 letters of the Latin alphabet.
    static let latinLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)

    private static let fullWidthLetters = "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ".map(String.init)
    private static let kana = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん".map(String.init)
    private static let consonants = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".map(String.init)
    /// Kana, which have the same weights as the small, voiced and katakana forms; the consonants with which
    /// Korean syllables begin; and full-width Latin letters, for locales that move a Latin letter elsewhere.
    private static let otherLetters = kana + consonants + fullWidthLetters

    /// Creates the letters of a locale.
    init(locale: String, order: LocalizedOrder, style: Alphabet.Style) {
        self.locale = locale
        self.order = order
        self.style = style
    }

    /// Returns the letter whose weights are the beginning of the given ones, or the group of an index that
    /// contains the given weights; nil if no list contains such a letter.
    package mutating func letter(beginning weights: [UInt8]) -> String? {
        if let letter = Self.letter(beginning: weights, in: latin) {
            // The order of the locale separates the Latin letters from those of pinyin.
            guard style != .index, markers.areLatin, let position = Self.latinLetters.firstIndex(of: letter)
            else { return letter }
            return Self.fullWidthLetters[position]
        }
        return row(of: weights) ?? markers.group(of: weights)
            ?? Self.letter(beginning: weights, in: expected) ?? Self.letter(beginning: weights, in: others)
    }

    /// Returns the letters of a complete index of the locale, before the removal of letters that are forms of
    /// others.
    package mutating func candidates() -> [String] {
        guard !markers.groups.isEmpty, !markers.areLatin else {
            return expected.isEmpty ? Self.latinLetters : expected.map(\.name)
        }
        return markers.groups.map(\.name)
    }

    /// Whether the order has groups of Chinese characters.
    package var hasMarkers: Bool { mutating get { !markers.groups.isEmpty } }

    private mutating func row(of weights: [UInt8]) -> String? {
        guard let first = rows.first, let last = rows.last,
            !weights.lexicographicallyPrecedes(first.weights),
            weights.lexicographicallyPrecedes(last.weights) || weights.starts(with: last.weights)
        else { return nil }
        return rows.last { !weights.lexicographicallyPrecedes($0.weights) }?.name
    }

    /// Returns the rows with the weights at which each begins. The last element is the last letter of the
    /// script, in the last row.
    private mutating func makeRows() -> [Letter] {
        let script: [String]
        switch Locale(identifier: locale).language.languageCode?.identifier {
        case "ja": script = Self.kana
        case "ko": script = Self.consonants
        default: return []
        }
        let all = expected.filter { script.contains($0.name) }
            .sorted { $0.weights.lexicographicallyPrecedes($1.weights) }
        guard let name = all.last?.name, let end = script.last else { return [] }
        return all + letters([end]).map { Letter(name: name, weights: $0.weights) }
    }

    private static func letter(beginning weights: [UInt8], in letters: [Letter]) -> String? {
        letters.first { weights.starts(with: $0.weights) }?.name
    }

    private func letters(_ names: [String]) -> [Letter] {
        names.map { Letter(name: $0, weights: order.weights(of: $0)) }.filter { !$0.weights.isEmpty }
    }
}
