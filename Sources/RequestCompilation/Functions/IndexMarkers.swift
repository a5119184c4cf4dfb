import Foundation
import InternalUtilities
import ObjectModel

/// The positions in a locale's order at which the groups of an index of Chinese characters begin.
///
/// CLDR's collations contain them as texts that begin with the non-character U+FDD0 (Unicode Technical
/// Standard #35, part 5, "Collation Indexes"): followed by a Latin letter for pinyin, by a bopomofo letter,
/// by a radical, or by the braille pattern whose number is the number of strokes.
struct IndexMarkers {
    /// A group: its name, and the weights with which it begins.
    struct Group {
        /// The letter of pinyin or bopomofo, the radical, or the number of strokes: `5劃`.
        let name: String
        /// The weights of the group's marker. Those of its texts are not smaller.
        let weights: [UInt8]
    }

    /// The groups in the order of the locale; none for a locale whose collation has no markers.
    let groups: [Group]
    /// The first byte of the weights of Chinese characters that belong to no group and follow all groups.
    private let firstByteAfterGroups: UInt8

    /// Reads the markers of an order.
    ///
    /// - Complexity: Some microseconds for an order without markers, as most orders are.
    init(order: LocalizedOrder) {
        let none = order.weights(of: Self.prefix)
        /// Returns the group of a marker; nil for any other text, which has the weights of its characters.
        func group(_ marker: String, _ name: String) -> Group? {
            let weights = order.weights(of: Self.prefix + marker)
            return weights.isEmpty || weights.starts(with: none) ? nil : Group(name: name, weights: weights)
        }
        var groups = IndexLetters.latinLetters.compactMap { group($0, $0) }
        if groups.isEmpty {
            for count in UInt32(1)...255 {
                guard let pattern = Unicode.Scalar(0x2800 + count),
                    let strokes = group(String(pattern), "\(count)劃")
                else { break }
                groups.append(strokes)
            }
        }
        if groups.isEmpty {
            groups = (UInt32(0x3105)...0x3129).compactMap { value in
                Unicode.Scalar(value).flatMap { group(String($0), String($0)) }
            }
        }
        let hasRadicals = groups.isEmpty
        if hasRadicals {
            groups = (UInt32(0x2F00)...0x2FD5).compactMap { value in
                guard let radical = Unicode.Scalar(value) else { return nil }
                let name = String(radical).precomposedStringWithCompatibilityMapping
                return group(name, name)
            }
        }
        self.groups = groups.sorted { $0.weights.lexicographicallyPrecedes($1.weights) }
        guard let last = self.groups.last?.weights.first else {
            firstByteAfterGroups = 0
            return
        }
        if hasRadicals {
            // All Chinese characters have a radical. After them come Latin letters, or, where these are
            // before them, characters for private use.
            firstByteAfterGroups =
                ["a", "\u{E000}"].compactMap { order.weights(of: $0).first }.filter { $0 > last }.min()
                ?? .max
        } else {
            // A rare character, for which no collation has a reading or a number of strokes; its weight has
            // one of the last lead bytes of Chinese characters.
            firstByteAfterGroups = order.weights(of: "\u{2A6D6}").first ?? 0
        }
    }

    /// The non-character, which a literal cannot contain.
    private static let prefix = String(decoding: [UInt16(0xFDD0)], as: UTF16.self)

    /// Whether the groups are the letters of pinyin.
    var areLatin: Bool { groups.first?.name == "A" }

    /// Returns the group that contains the text with the given weights; nil for a text that does not begin
    /// with a Chinese character that has a group.
    func group(of weights: [UInt8]) -> String? {
        guard let first = groups.first, let byte = weights.first, byte < firstByteAfterGroups,
            !weights.lexicographicallyPrecedes(first.weights)
        else { return nil }
        let next = groups.indices.partitioningIndex { weights.lexicographicallyPrecedes(groups[$0].weights) }
        return groups[next - 1].name
    }
}
