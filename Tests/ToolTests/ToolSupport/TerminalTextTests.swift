import Testing

@testable import ToolSupport

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("tab\there", "tab\\there"), ("two\nlines\r", "two\\nlines\\r"),
        ("\u{1B}[31mred", "\\u{1B}[31mred"), ("\u{7}\u{0}\u{7F}", "\\u{7}\\u{0}\\u{7F}"),
        ("\u{9B}0m", "\\u{9B}0m"),
        ("abc\u{202E}gpj.exe", "abc\\u{202E}gpj.exe"), ("a\u{2028}b", "a\\u{2028}b"), ("a\r\nb", "a\\r\\nb"),
        ("a\u{200E}b\u{200F}c\u{61C}", "a\\u{200E}b\\u{200F}c\\u{61C}"), ("1\u{206E}2", "1\\u{206E}2"),
        ("É李שלום👩‍👩‍👧 back\\slash", "É李שלום👩‍👩‍👧 back\\slash"),
    ])
    func `terminal control characters are escaped and all others stay`(text: String, escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }

    @Test func `all bidirectional control characters of Unicode are escaped, and no letters`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let isEscaped = TerminalText.escaped(String(scalar)) != String(scalar)
            if properties.isBidiControl || properties.generalCategory == .control {
                #expect(isEscaped, "U+\(String(value, radix: 16))")
            }
            if properties.isAlphabetic || properties.isEmoji || properties.isJoinControl {
                #expect(!isEscaped, "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func `line breaks stay with keepingLineBreaks`() {
        #expect(TerminalText.escaped("a\nb\u{1B}", keepingLineBreaks: true) == "a\nb\\u{1B}")
    }

    // The widths are those of Unicode Standard Annex 11 and of wcwidth(3).
    @Test(arguments: [
        ("", 0), ("abc", 3), ("É", 1), ("e\u{301}", 1), ("李白", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("ア", 2),
        ("ｱ", 1), ("Ａ", 2), ("שָׁלוֹם", 4), ("الْعَرَبِيَّة", 7), ("ไทย", 3), ("กี่", 1), ("👍", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2),
        ("🇨🇿", 2), ("❤️", 2),
        ("❤", 1), ("a\u{200B}b", 2), ("…", 1), ("€", 1), ("𝄞", 1), ("𠀀", 2), ("zero\u{200D}width", 9),
        ("1\u{301}", 1),
    ])
    func `the width is the number of terminal columns`(text: String, columns: Int) {
        #expect(TerminalText.width(of: text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
        ("李白杜甫", 8, "李白杜甫"),
        ("李白杜甫", 7, "李白杜…"), ("李白杜甫", 6, "李白…"), ("李白杜甫", 2, "…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("a李", 3, "a李"), ("a李", 2, "a…"), ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"), ("", 0, ""),
    ])
    func `a shortened text has at most the given number of columns`(
        text: String, columns: Int, shortened: String
    ) {
        #expect(TerminalText.shortened(text, to: columns) == shortened)
        #expect(TerminalText.width(of: TerminalText.shortened(text, to: columns)) <= columns)
    }

    @Test(arguments: ["", "abc", "李白杜甫", "a李b", "e\u{301}x", "👩‍👩‍👧"], 0...9)
    func `a fitted text has exactly the given number of columns, even if a wide character crosses the last`(
        text: String, columns: Int
    ) {
        #expect(TerminalText.width(of: TerminalText.fitted(text, to: columns)) == columns)
    }

    @Test func `columns line up for all contents of cells`() {
        var table = TextTable(alignments: [.left, .right, .left], maximumCellWidth: 8)
        let lines = table.lines([
            ["李白", "7", "poet"], ["e\u{301}", "12", ""], ["a very long name", "1,000", "x\ny"], ["", "", ""],
        ])
        #expect(lines == ["李白          7  poet", "e\u{301}            12", "a very …  1,000  x\\ny", ""])
        // A column never becomes narrower again.
        #expect(table.lines([["a", "b", "c"]]) == ["a             b  c"])
        #expect(table.lines([["a", "b", "c"]], maximumWidth: 5) == ["a  b…"])
    }
}
