import CheckSupport
import RecordReading
import Testing

@Suite struct JSONReadingTests {
    @Test func `lines and arrays give the same records`() throws {
        let objects = [
            "{\"id\": 1, \"name\": \"é\"}", "{\"id\":2,\"name\":null}", "{}", "{\"name\": \"\", \"id\": 4}",
        ]
        let expected: [[String?]] = [["1", "é"], ["2", nil], [nil, nil], ["4", ""]]
        for text in [
            objects.joined(separator: "\n"), objects.joined(separator: "\r\n") + "\r\n",
            objects.joined(separator: " "),
            "[" + objects.joined(separator: ",") + "]", " [\n" + objects.joined(separator: "\n,\n") + "\n]\n",
        ] {
            let reading = try Reading(json: text)
            #expect(reading.errors.isEmpty)
            #expect(reading.fieldNames == ["id", "name"])
            #expect(reading.records == expected)
        }
    }

    @Test func `a byte order mark is not part of the text`() throws {
        #expect(try Reading(json: [0xEF, 0xBB, 0xBF] + Array("[{\"a\":1}]".utf8)).records == [["1"]])
    }

    @Test func `objects of several lines are read, with the lines on which they begin`() throws {
        let reading = try Reading(json: "{\n  \"a\": 1\n}\n\n{\n  \"a\": {\n    \"b\": 2\n  }\n}\n")
        #expect(reading.errors.isEmpty)
        #expect(reading.fieldNames == ["a", "a.b"])
        #expect(reading.records == [["1", nil], [nil, "2"]])
        #expect(reading.lines == [1, 5])
    }

    @Test func `nested objects and arrays give dotted and numbered names`() throws {
        let reading = try Reading(
            json: """
                {"id": 7, "title": {"en": "x", "parts": [{"n": 1}, {"n": 2, "m": true}]}, "tags": ["a", null, [false]], "none": {}, "no": []}
                """)
        #expect(
            reading.fieldNames == [
                "id", "title.en", "title.parts.0.n", "title.parts.1.n", "title.parts.1.m", "tags.0", "tags.1",
                "tags.2.0",
            ])
        #expect(reading.records == [["7", "x", "1", "2", "true", "a", nil, "false"]])
    }

    @Test(
        arguments: [
            "0", "-0", "9223372036854775808", "-9223372036854775809", "1e400", "1E-400",
            "0.1000000000000000055511151231257827",
            "123456789012345678901234567890", "1.50", "2e+07",
        ])
    func `a number keeps its text`(number: String) throws {
        #expect(try Reading(json: "{\"n\": \(number), \"list\": [\(number)]}").records == [[number, number]])
        #expect(try Reading(json: "{\"n\": \(number)").errors.count == 1)
    }

    @Test(
        arguments: [
            (#"\" \\ \/ \b \f \n \r \t"#, "\" \\ / \u{8} \u{C} \n \r \t"),
            (#"\u0041\u00e9\u00E9\u65e5\uFFFF"#, "Aéé日\u{FFFF}"),
            (#"\ud83d\ude00\uD800\uDC00\udbff\udfff"#, "😀\u{10000}\u{10FFFF}"),
            (#"\u0001\u001f\u007f"#, "\u{1}\u{1F}\u{7F}"),
            ("\u{7F}\u{2028}é😀", "\u{7F}\u{2028}é😀"),
        ])
    func `escapes are decoded, in keys too`(written: String, meant: String) throws {
        let reading = try Reading(json: "{\"k\(written)\": \"\(written)\"}")
        #expect(reading.errors.isEmpty)
        #expect(reading.fieldNames.map { Array($0.utf8) } == [Array("k\(meant)".utf8)])
        #expect(reading.records.map { Array($0[0]!.utf8) } == [Array(meant.utf8)])
    }

    @Test func `late fields are nil in earlier records, and fields after a thousand records are ignored`()
        throws
    {
        let lines = (0..<1_500).map { number in
            "{\"id\": \(number)\(number == 999 ? ", \"late\": 1" : "")\(number == 1_000 ? ", \"later\": 1" : "")}"
        }
        let reading = try Reading(json: lines.joined(separator: "\n"))
        #expect(reading.fieldNames == ["id", "late"])
        #expect(reading.values("id") == (0..<1_500).map { String($0) })
        #expect(reading.values("late") == (0..<1_500).map { $0 == 999 ? "1" : nil })
        #expect(reading.lines == Array(1...1_500))
    }

    @Test(arguments: 0..<24)
    func `a record is read at the window's end`(distance: Int) throws {
        let middle = #"{"n": 12.5e+1, "t": "é\ud83d\ude00日\"", "b": [true, null]}"#
        var text = ""
        while text.utf8.count + 200 < 256 << 10 { text += "{\"t\": \"filling\"}\n" }
        let filling = (256 << 10) - distance * 3 - text.utf8.count - "{\"t\": \"\"}\n".utf8.count
        text += "{\"t\": \"\(String(repeating: "x", count: filling))\"}\n"
        #expect(text.utf8.count == (256 << 10) - distance * 3)
        text += middle + "\n{\"t\": \"behind\"}\n"
        let reading = try Reading(json: text)
        #expect(reading.errors.isEmpty)
        #expect(reading.values("t").suffix(2) == ["é😀日\"", "behind"])
        #expect(reading.values("t").count == text.split(separator: "\n").count)
        // The fields are the names of the first thousand records, and this record comes later.
        #expect(reading.fieldNames == ["t"])
    }

    @Test func `the format of a file is detected by its first character`() throws {
        for (text, names) in [
            ("[{\"a\":1}]", ["a"]), (" \r\n\t{\"a\":1}", ["a"]), ("a,b\n1,2", ["a", "b"]),
            ("\u{FEFF}{\"a\":1}", ["a"]),
            ("\u{FEFF}x;y", ["x", "y"]),
        ] {
            let file = try TemporaryFile(text)
            #expect(try openRecords(path: file.path).fieldNames == names)
        }
    }
}

/// Names of fields that only late records have.
@Suite struct JSONFieldNameTests {
    private static let lines = (1...2_500).map {
        $0 < 2_000 ? "{\"a\": \($0)}" : "{\"a\": \($0), \"b\": {\"c\": \"x\"}}"
    }

    @Test(arguments: [false, true])
    func `all names are found, and all their values are read`(isArray: Bool) throws {
        let separator = isArray ? ",\n" : "\n"
        let joined = Self.lines.joined(separator: separator)
        let text = isArray ? "[\(joined)]" : joined
        let file = try TemporaryFile(text)
        let names = try allFieldNames(path: file.path)
        #expect(names == ["a", "b.c"])
        #expect(try openRecords(path: file.path).fieldNames == ["a"])
        let reading = Reading(try openRecords(path: file.path, fieldNames: names))
        #expect(reading.errors.isEmpty)
        #expect(reading.values("a") == (1...2_500).map { String($0) })
        #expect(reading.values("b.c") == (1...2_500).map { $0 < 2_000 ? nil : "x" })
    }

    @Test func `a record that cannot be read hides no later names, and is reported by the reader`() throws {
        let file = try TemporaryFile(
            Self.lines[0] + "\n{\"d\": \n" + Self.lines.dropFirst().joined(separator: "\n"))
        let names = try allFieldNames(path: file.path)
        #expect(names == ["a", "b.c"])
        let reading = Reading(try openRecords(path: file.path, fieldNames: names))
        #expect(reading.errors.map(\.line) == [2])
        #expect(reading.records.count == 2_500)
    }

    @Test func `the names of a CSV file are those of its header`() throws {
        let file = try TemporaryFile("a;b\n1;2\n")
        #expect(try allFieldNames(path: file.path) == ["a", "b"])
    }
}

/// Arrays in records that become one field with their JSON text.
@Suite struct JSONArrayTextTests {
    private func reading(_ text: String) throws -> Reading {
        let file = try TemporaryFile(text)
        return Reading(try JSONRecordReader(path: file.path, numbersElements: false))
    }

    @Test func `an array is its text without white space, also inside objects, and bad ones are errors`()
        throws
    {
        let reading = try reading(
            """
            {"a": [1, [2.50, null], {"x": [true]}], "b": {"c": [ ]}, "d": 1}
            {"a": ["[ ,", "\\\\\\" ]", "é "], "d": 2}
            {"a": [1, {"x": 1, "x": 2}], "d": 3}
            {"a": [1, 02], "e": [1]}
            {"a": "text", "d": 4}
            """)
        #expect(reading.fieldNames == ["a", "b.c", "d"])
        #expect(
            reading.records == [
                ["[1,[2.50,null],{\"x\":[true]}]", "[]", "1"], ["[\"[ ,\",\"\\\\\\\" ]\",\"é \"]", nil, "2"],
                ["text", nil, "4"],
            ])
        #expect(reading.errors.map(\.line) == [3, 4])
    }

    @Test func `the names of fields with arrays are known, without those of bad records`() throws {
        let file = try TemporaryFile("{\"z\": [1], \"z\": 2}\n{\"a\": 1, \"b\": [1]}\n{\"a\": [2]}\n")
        let reader = try JSONRecordReader(path: file.path, numbersElements: false)
        #expect(reader.arrayFieldNames == ["a", "b"])
    }

    @Test func `the options choose numbered fields`() throws {
        let file = try TemporaryFile("{\"a\": [1, 2]}\n{\"a\": []}")
        #expect(Reading(try openRecords(path: file.path)).records == [["[1,2]"], ["[]"]])
        var options = RecordOptions()
        options.numbersElements = true
        #expect(try openRecords(path: file.path, options: options).fieldNames == ["a.0", "a.1"])
    }

    @Test(.enabled(if: Python.path != nil, "python3 is not on the search path"))
    func `random arrays are read as Python writes them without white space`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        func value(_ depth: Int) -> String {
            func space() -> String { ["", " ", "\t"].randomElement(using: &generator)! }
            switch Int.random(in: 0..<(depth > 4 ? 3 : 6), using: &generator) {
            case 0:
                return ["\"a b\"", "\"\\\"\"", "\"\\\\\"", "\"[ {\"", "\"é , \""].randomElement(
                    using: &generator)!
            case 1: return ["null", "true", "12", "-1"].randomElement(using: &generator)!
            case 2: return String(Int.random(in: 0..<1_000, using: &generator))
            case 3:
                return "{\(space())\"k\"\(space()):\(space())\(value(depth + 1))\(space())}"
            default:
                let count = Int.random(in: 0...3, using: &generator)
                return "["
                    + (0..<count).map { _ in space() + value(depth + 1) + space() }.joined(separator: ",")
                    + "]"
            }
        }
        let arrays = (0..<2_000).map { _ in "[\(value(1)), \(value(1))]" }
        let expected = try Python.run(
            "import json\nfor data in inputs: print(json.dumps(json.loads(data), separators=(',', ':'), ensure_ascii=False).encode().hex())",
            on: arrays.map { Array($0.utf8) })
        let reading = try reading(arrays.map { "{\"a\": \($0)}\n" }.joined())
        #expect(reading.errors.isEmpty)
        #expect(reading.values("a").map { Python.hexadecimal($0!.utf8) } == expected, "seed \(seed)")
    }
}
