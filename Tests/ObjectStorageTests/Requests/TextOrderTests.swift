import Foundation
import ObjectStorage
import CheckSupport
import Testing

@Suite struct TextOrderTests {
    /// Returns texts that differ only in case, width and accents, some of them long. Localized orders treat
    /// them as nearly equal.
    private static func texts(using generator: inout SeededGenerator) -> [String] {
        let letters: [[String]] = [
            ["a", "A", "á", "ａ"], ["b", "B"], ["o", "O", "ö", "Ｏ"], ["1", "１"], [" "], ["ß", "ss", "SS"],
        ]
        // Texts that differ only in case, beyond the 64 UTF-16 units that Foundation compares at once.
        let cases = [["a", "A"], ["b", "B"], ["o", "O"], [" "]]
        return (0..<60).flatMap { number in
            let length = number % 3 == 0 ? 66 : [3, 20, 300].randomElement(using: &generator)!
            let choices = (0..<length).map { _ in
                (number % 3 == 0 ? cases : letters).randomElement(using: &generator)!
            }
            // Several spellings of the same text.
            return (0..<6).map { _ in choices.map { $0.randomElement(using: &generator)! }.joined() }
        }
    }

    /// Returns the texts as a store sorts them.
    private func sorted(_ texts: [String], by order: TextOrder) throws -> [String] {
        let container = try PersistentContainer(inMemoryWith: Library.model())
        let context = container.newContext()
        for text in texts { Work(context: context).title = text }
        try context.save()
        let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.title, order: order)])
        return try context.fetch(request).map(\.title)
    }

    @Test(arguments: ["en", "de", "sv"])
    func `a localized order does not depend on the positions of the rows`(locale: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let texts = Self.texts(using: &generator)
        let order = TextOrder.localized(Locale(identifier: locale))
        let first = try sorted(texts, by: order)
        for _ in 0..<3 {
            let again = try sorted(texts.shuffled(using: &generator), by: order)
            #expect(again.map { Array($0.utf8) } == first.map { Array($0.utf8) }, "seed \(seed)")
        }
    }

    @Test func `the case-insensitive order treats texts as equal that [c] treats as equal`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let texts = Self.texts(using: &generator)
        // The result of Unicode's case folding for these letters.
        let folded = { (text: String) in text.lowercased().replacing("ß", with: "ss") }
        let first = try sorted(texts, by: .caseInsensitive).map(folded)
        let again = try sorted(texts.shuffled(using: &generator), by: .caseInsensitive).map(folded)
        #expect(first == again, "seed \(seed)")
        #expect(first == texts.map(folded).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func `a letter has the position that its language gives it`() throws {
        let texts = ["áöö", "ö", "z", "áöo", "o", "å", "a", "áo"]
        #expect(
            try sorted(texts, by: .localized(Locale(identifier: "sv")))
                == ["a", "áo", "áöo", "áöö", "o", "z", "å", "ö"])
        #expect(
            try sorted(texts, by: .localized(Locale(identifier: "de")))
                == ["a", "å", "áo", "áöo", "áöö", "o", "ö", "z"])
    }

    @Test func `numbers are ordered by value, and relative to other characters like digits`() throws {
        let texts = [
            "Track 10", "Track 9", "track 9", "Track 009", "Track", "9", "10", "-1", "a2b10", "a2b9", "a10b1",
        ]
        #expect(
            try sorted(texts, by: .localized(Locale(identifier: "en")))
                == [
                    "-1", "9", "10", "a2b9", "a2b10", "a10b1", "Track", "track 9", "Track 009", "Track 9",
                    "Track 10",
                ])
    }
}
