import Foundation
import CheckSupport
import Testing

@testable import ObjectStorage

@Suite struct PredicateTextTests {
    private static let caseOnly: PredicateTree.TextOptions = .ignoringCase
    private static let both: PredicateTree.TextOptions = [.ignoringCase, .ignoringDiacritics]

    @Test(arguments: [
        ("Straße", "STRASSE"), ("ẞ", "ss"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ſ", "S"), ("K", "k"), ("Å", "å"),
        ("ﬃ", "FFI"), ("ŉ", "ʼN"),
        ("ǅ", "ǆ"), ("Ω", "ω"), ("İ", "i\u{307}"), ("ᾼ", "αι"), ("ԱՒ", "աւ"), ("É", "e\u{301}"), ("Ꭰ", "ꭰ"),
        ("𐐀", "𐐨"), ("ʼN", "ŉ"),
    ])
    func `case is ignored by Unicode's full case folding`(first: String, second: String) {
        #expect(TextFolding.fold(first, Self.caseOnly) == TextFolding.fold(second, Self.caseOnly))
    }

    @Test(arguments: [("ı", "I"), ("é", "e"), ("İ", "I"), ("か", "が"), ("ø", "o")])
    func `texts that differ by more than case stay different`(first: String, second: String) {
        #expect(TextFolding.fold(first, Self.caseOnly) != TextFolding.fold(second, Self.caseOnly))
    }

    @Test(arguments: [
        ("Éclair", "eclair"), ("Ǻ", "a"), ("Ṩ", "s"), ("ệ", "E"), ("İ", "i"), ("й", "И"), ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("が", "か"), ("ΐ", "ι"), ("e\u{301}\u{323}", "E"), ("ñ", "N"), ("Ⅻ", "ⅻ"),
    ])
    func `diacritics are ignored if the option is set`(first: String, second: String) {
        #expect(TextFolding.fold(first, Self.both) == TextFolding.fold(second, Self.both))
    }

    @Test(arguments: [
        ("ø", "o"), ("ł", "l"), ("đ", "d"), ("각", "가"), ("क्ष", "कष"), ("कि", "क"), ("æ", "ae"), ("😀", "😁"),
    ])
    func `letters that are not a base letter with marks stay different`(first: String, second: String) {
        #expect(TextFolding.fold(first, Self.both) != TextFolding.fold(second, Self.both))
    }

    /// All characters whose folding Unicode defines by their case mappings.
    @Test func `every character folds like its upper and lower case, and folding twice changes nothing`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else {
                continue
            }
            let properties = scalar.properties
            guard properties.changesWhenUppercased || properties.changesWhenLowercased || value == 0x131
            else { continue }
            let folded = TextFolding.fold(String(scalar), Self.caseOnly)
            #expect(TextFolding.fold(folded, Self.caseOnly).utf8.elementsEqual(folded.utf8), "\(scalar)")
            #expect(TextFolding.fold(properties.lowercaseMapping, Self.caseOnly) == folded, "\(scalar)")
            if value != 0x131 {
                #expect(TextFolding.fold(properties.uppercaseMapping, Self.caseOnly) == folded, "\(scalar)")
            }
        }
    }

    @Test(arguments: UInt8(0)...3)
    func `canonically equal texts are folded alike`(bits: UInt8) {
        let options = PredicateTree.TextOptions(rawValue: bits)
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        for _ in 0..<2_000 where bits != 0 {
            let text = RandomValue.text(using: &generator, longest: 5)
            let folded = TextFolding.fold(text, options)
            for spelling in [
                text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping,
            ] {
                #expect(
                    TextFolding.fold(spelling, options).utf8.elementsEqual(folded.utf8),
                    "\(text.debugDescription)")
            }
            #expect(
                TextFolding.fold(folded, options).utf8.elementsEqual(folded.utf8), "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("", "", true), ("", "*", true), ("", "?", false), ("abc", "a*c", true), ("abc", "a?c", true),
        ("ac", "a?c", false), ("abcabc", "*abc", true),
        ("abcab", "*abc", false), ("aXbXc", "a*b*c", true), ("é", "?", true), ("e\u{301}", "?", true),
        ("👨‍👩‍👧", "?", true), ("🇩🇪🇫🇷", "??", true), ("a*c", "a\\*c", true),
        ("abc", "a\\*c", false), ("a\\c", "a\\\\c", true), ("a\\", "a\\", true), ("\r\n", "?", true),
        ("\u{0}b", "?b", true), ("e\u{301}", "e*", false),
        (String(repeating: "a", count: 2_000), String(repeating: "*a", count: 200) + "b", false),
    ])
    func `a pattern matches whole texts, character by character`(text: String, pattern: String, fits: Bool) {
        let isMatch = Array(text.utf8).withUnsafeBytes { WildcardPattern(pattern).matches($0) }
        #expect(isMatch == fits)
    }

    @Test func `arithmetic and comparisons in memory equal SQLite's`() throws {
        let library = try Library()
        let values: [StoredValue] =
            RandomValue.integers.map { .integer($0) } + RandomValue.reals.map { .real($0) } + [.null]
        try library.container.connections.readComputing { database in
            for first in values {
                for second in values {
                    for arithmetic in PredicateExpression.Operator.allCases {
                        let row = try database.rows("SELECT ?1 \(arithmetic.rawValue) ?2", [first, second])
                        #expect(
                            row == [[StoredValue.arithmetic(arithmetic, first, second)]],
                            "\(first) \(arithmetic.rawValue) \(second)")
                    }
                    let row = try database.rows("SELECT ?1 < ?2, ?1 IS ?2", [first, second])
                    let order = first.compare(to: second)
                    if !first.isNull, !second.isNull {
                        #expect(row[0][0] == .integer(order < 0 ? 1 : 0), "\(first) < \(second)")
                    }
                    #expect(row[0][1] == .integer(order == 0 ? 1 : 0), "\(first) IS \(second)")
                }
            }
        }
    }
}
