import RecordReading

/// The JSON reader, compared with Foundation's.
struct JSONTarget: FuzzTarget {
    static let name = "json"
    static let summary = "the JSON reader"
    static let words: [[UInt8]] =
        [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\ud83d\\ude00", "\\ud83d", "null", "true",
            "false", "1e999",
            "-0", "0.5", "01", "{\"a\":", "[1,", "\n", "\u{FEFF}", "\0", "9223372036854775808",
        ].map { Array($0.utf8) } + BadText.sequences

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func run(_ input: [UInt8]) throws -> Bool {
        let path = try folder.write(input, to: "input.json")
        let strict = ReadRecords(path, replacing: false, as: .json)
        try strict.check(against: input, isStrict: true)
        let replaced = ReadRecords(path, replacing: true, as: .json)
        try replaced.check(against: input, isStrict: false)
        if !strict.hasInvalidText, strict != replaced {
            throw FuzzFinding("without invalid UTF-8, replacing it changes the records")
        }
        guard strict.errors.isEmpty else { return false }
        try PlainJSON.check(strict, input)
        return true
    }

    static func seeds() -> [FuzzSeed] {
        let deep = 64
        return [
            FuzzSeed("array", #"[{"id": 1, "title": "One"}, {"id": 2, "title": null}]"#),
            FuzzSeed("lines", "{\"id\": 1, \"year\": 1901.5e0}\n{\"id\": 2, \"tags\": [\"a\", \"b\"]}\n"),
            FuzzSeed("objects", "{\n  \"id\": 1\n}\n{\n  \"id\": 2\n}\n"),
            FuzzSeed("nested", #"[{"a": {"b": [{"c": true}, {"d": false}]}, "e": {}}]"#),
            FuzzSeed("escapes", #"[{"a\u00e9\n": "\"\\\/\b\f\n\r\t\ud83d\ude00"}]"#),
            FuzzSeed("numbers", "[{\"a\": -0.0, \"b\": 1e5, \"c\": 123456789012345678901234567890}]"),
            FuzzSeed("duplicate", "{\"a\": 1, \"a\": 2}\n{\"a.b\": 1, \"a\": {\"b\": 2}}\n{\"a\": 3}\n"),
            FuzzSeed(
                "deepest",
                "[{\"a\":" + String(repeating: "[", count: deep - 1) + "1"
                    + String(repeating: "]", count: deep - 1) + "}]"),
            FuzzSeed(
                "too-deep",
                "[{\"a\":" + String(repeating: "[", count: deep) + "1"
                    + String(repeating: "]", count: deep) + "}]"),
            FuzzSeed(
                "too-deep-objects",
                String(repeating: "{\"a\":", count: 200) + "1" + String(repeating: "}", count: 200)),
            FuzzSeed("invalid", Array("[{\"a\": \"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}]".utf8)),
            FuzzSeed(
                "repaired-keys",
                Array("{\"".utf8) + [0xFF] + Array("\": 1, \"".utf8) + [0xFE] + Array("\": 2}".utf8)),
            FuzzSeed("surrogate", #"{"a": "\ud83d"}"#),
            FuzzSeed("unclosed", "[{\"a\": 1}, {\"a\":"),
            FuzzSeed("behind", "[{\"a\": 1}] x"),
        ]
    }
}
