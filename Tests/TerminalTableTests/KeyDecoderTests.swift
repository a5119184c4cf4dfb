import Testing

@testable import TerminalTable

/// The decoding of terminal input to keys.
@Suite struct KeyDecoderTests {
    static let cases: [(String, [Key])] = [
        ("jG/", [.character("j"), .character("G"), .character("/")]),
        ("é李", [.character("é"), .character("李")]),
        ("\u{1B}[A\u{1B}[B\u{1B}OA", [.up, .down, .up]),
        (
            "\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~\u{1B}[H\u{1B}OF",
            [.pageUp, .pageDown, .home, .end, .home, .end]
        ),
        ("\u{1B}[1;5Bx", [.down, .character("x")]),
        (
            "\r\n\u{7F}\u{8}\u{3}\u{C}\u{1A}",
            [.enter, .enter, .backspace, .backspace, .interrupt, .redraw, .suspend]
        ),
        ("\u{1B}[200~q", [.character("q")]),
        ("\u{1B}q", [.escape, .character("q")]),
        ("\u{1}\u{0}a", [.character("a")]),
    ]

    @Test(arguments: cases)
    func `keys are decoded from pieces of every size`(text: String, keys: [Key]) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            var decoder = KeyDecoder()
            var found: [Key] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += decoder.keys(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(found == keys, "in pieces of \(size)")
            #expect(!decoder.isWaiting)
        }
    }

    @Test func `a single escape is a key if nothing follows`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.finish() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.keys([0x1B, UInt8(ascii: "[")]).isEmpty)
        #expect(decoder.finish().isEmpty)
    }

    @Test func `a key is decoded after bytes that are not UTF-8`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0xFF, 0x80, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x61]).last == .character("a"))
    }
}
