import CheckSupport
import Testing
import ToolSupport

/// The lines of long texts.
@Suite struct TerminalTextWrappingTests {
    @Test(arguments: [
        ("", 5, [""]), ("a b c", 5, ["a b c"]), ("a b c", 3, ["a b", "c"]), ("abcdef", 4, ["abcd", "ef"]),
        ("one two", 4, ["one", "two"]), ("漢字漢", 4, ["漢字", "漢"]), ("漢", 1, ["漢"]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("a\tb", 9, ["a\\tb"]), ("one  two", 4, ["one ", "two"]),
    ])
    func `lines end at blanks or inside long words`(text: String, width: Int, lines: [String]) {
        #expect(TerminalText.wrapped(text, to: width) == lines)
    }

    @Test func `no line is wider than the screen, and no character is lost`() {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let text = String(
                (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    "ab 漢é\n ".randomElement(using: &generator)!
                })
            let width = Int.random(in: 2...9, using: &generator)
            let lines = TerminalText.wrapped(text, to: width)
            #expect(lines.allSatisfy { TerminalText.width(of: $0) <= width }, "seed \(seed): “\(text)”")
            let shown = lines.joined().filter { $0 != " " }
            #expect(shown == text.filter { $0 != " " && $0 != "\n" }, "seed \(seed): “\(text)”")
        }
    }
}
