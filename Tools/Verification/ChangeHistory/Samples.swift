import Foundation
import SectionedFetch
import CheckSupport

/// The values of parts: few, so that ties occur, and such that text orders disagree about them.
enum Samples {
    /// Texts in the order of an English dictionary, which compares numbers by their values.
    static let texts = [
        "", "9 lives", "10 green", "alpha", "Alpha", "älpha", "Älpha", "beta", "Beta", "éclair", "item 2",
        "item 10", "Item 10", "zeta", "Zeta",
    ]
    /// The index of each text in ``texts``, which is its rank in that order.
    static let ranks = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
    /// The section of each text's first letter.
    static let letters = Dictionary(
        uniqueKeysWithValues: zip(
            texts, ["#", "#", "#", "A", "A", "A", "A", "B", "B", "E", "I", "I", "I", "Z", "Z"]))

    /// Returns the section of the first letter of a sample or of the name of a shelf or hall.
    static func letter(of name: String) -> String { letters[name] ?? name.prefix(1).uppercased() }

    static let prices = [
        "-2", "-1.5", "0", "0.1", "1", "1.25", "9", "10", "100.001", "12345678901234567890.5",
    ]
    /// The prices as numbers.
    static let decimals = Dictionary(uniqueKeysWithValues: prices.map { ($0, Decimal(string: $0) ?? .nan) })

    /// Moments near the turns of years and months in UTC, in seconds since 2001, with their year and month.
    static let moments: [(seconds: Double, year: Int64, month: Int64)] = [
        (-1, 2000, 12), (0, 2001, 1), (31 * 86_400, 2001, 2), (365 * 86_400, 2002, 1),
        (365 * 86_400 - 0.5, 2001, 12), (600_000_000, 2020, 1), (600_000_001, 2020, 1),
        (631_151_999, 2020, 12), (631_152_000, 2021, 1), (700_000_000, 2023, 3),
    ]
    /// The year and month of each moment, by its seconds.
    static let calendar = Dictionary(
        uniqueKeysWithValues: moments.map { ($0.seconds, (year: $0.year, month: $0.month)) })

    static let words = ["red", "green", "blue"]
}

extension SeededGenerator {
    /// Returns true once in `count` calls on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// Returns a random element.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    /// Returns a random number from 0 to below a bound.
    mutating func number(below bound: Int64) -> Int64 { Int64.random(in: 0..<bound, using: &self) }
}
