import RecordReading
import Testing

@Suite struct JSONErrorTests {
    @Test(
        arguments: [
            (#"{"a": tru}"#, "“true” was expected", 6),
            (#"{"a": 01}"#, "a number must not begin with 0", 6),
            (#"{"a": 1.}"#, "digits must follow the decimal point", 8),
            (#"{"a": 1e}"#, "digits must follow the exponent", 8),
            (#"{"a": -}"#, "a value was expected", 6),
            (#"{"a": +1}"#, "a value was expected", 6),
            (#"{"a": }"#, "a value was expected", 6),
            (#"{"a" 1}"#, "a colon is missing", 5),
            (#"{"a": [1 2]}"#, "a comma or ] is missing", 9),
            (#"{"a": 1 "b": 2}"#, "a comma or } is missing", 8),
            (#"{"a": "\x"}"#, "invalid escape sequence", 7),
            (#"{"a": "\u12g4"}"#, "four hexadecimal digits were expected", 11),
            (#"{"a": "\ud83d"}"#, "half a surrogate pair", 7),
            (#"{"a": "\ude00"}"#, "half a surrogate pair", 7),
            (#"{"a": "\ud83d\u0041"}"#, "half a surrogate pair", 7),
            (#"{"a": "\u0000"}"#, "a NUL character", 7),
            ("{\"a\": \"x\ty\"}", "a control character must be escaped", 8),
            ("{\"a\": \"x\0y\"}", "a control character must be escaped", 8),
            ("{\"a\": \"xy", "a control character must be escaped", 9),
            ("{\"a\": \"é", "a control character must be escaped", 9),
            (#"[1]"#, "an object { … } was expected", 0),
            (#"12"#, "an object { … } was expected", 0),
            (#"} {"a": 1}"#, "an object { … } was expected", 0),
        ] as [(String, String, Int)])
    func `a bad line is reported with its line and byte, and reading continues`(
        bad: String, detail: String, position: Int
    ) throws {
        let before = "{\"a\": \"é\"}\n"
        let reading = try Reading(json: before + bad + "\n{\"a\": 3}\n\n\(bad)\n{\"a\": 6}\n")
        #expect(reading.records == [["é"], ["3"], ["6"]])
        #expect(reading.lines == [1, 3, 6])
        let offsets = [before, before + bad + "\n{\"a\": 3}\n\n"].map { $0.utf8.count + position }
        #expect(reading.reasons == offsets.map { .json(detail, byteOffset: $0) })
        #expect(reading.errors.map(\.line) == [2, 5])
        #expect(reading.errors.map(\.isFatal) == [false, false])
    }

    @Test(arguments: ["{\"a\": 1", "{\"a\": [1", "{\"a\": {\"b\": 1}", "{\"a\":", "{\"a\"", "{"])
    func `a truncated line does not affect other lines`(bad: String) throws {
        let reading = try Reading(json: "{\"a\": 1}\n\(bad)\n{\"a\": 3}\n\(bad)\n{\"a\": 5}\n\(bad)")
        #expect(reading.records.map { $0[0] } == ["1", "3", "5"])
        #expect(reading.lines == [1, 3, 5])
        #expect(reading.errors.map(\.line) == [2, 4, 6])
        #expect(reading.errors.map(\.isFatal) == [false, false, false])
    }

    @Test func `a bad first line does not hide the names of the others`() throws {
        let reading = try Reading(json: "{\"x\": 1, \"y\": }\n{\"a\": 2, \"b\": 3}\n")
        #expect(reading.fieldNames == ["a", "b"])
        #expect(reading.records == [["2", "3"]])
        #expect(reading.errors.map(\.line) == [1])
    }

    @Test(arguments: [
        "{\"a\": 1, \"a\": 2}", "{\"a\": {}, \"a\": []}", "{\"a\": 1, \"\\u0061\": 2}",
        "{\"x\": {\"a\": 1, \"b\": 2, \"a\": 3}}",
    ])
    func `a repeated key in an object is an error`(bad: String) throws {
        let reading = try Reading(json: "\(bad)\n{\"a\": 3}\n")
        #expect(reading.records.count == 1)
        #expect(reading.errors.map(\.line) == [1])
        guard case .duplicateName? = reading.reasons.first else {
            Issue.record("not \(reading.reasons)")
            return
        }
    }

    @Test func `two paths to one dotted name are an error, and one key in two objects is not`() throws {
        let reading = try Reading(
            json: "{\"a\": {\"b\": 1}, \"a.b\": 2}\n{\"a\": {\"b\": 1}, \"c\": {\"b\": 2}}\n")
        #expect(reading.reasons == [.duplicateName("a.b")])
        #expect(reading.records == [["1", "2"]])
    }

    @Test(arguments: ["[", "{\"k\":"])
    func `64 levels of nesting are read, and 65 are an error`(opening: String) throws {
        func nested(_ depth: Int) -> String {
            let inner = depth - 1
            let closing = opening == "[" ? "]" : "}"
            return "{\"a\":" + String(repeating: opening, count: inner) + "1"
                + String(repeating: closing, count: inner) + "}"
        }
        let reading = try Reading(json: "\(nested(64))\n\(nested(65))\n\(nested(100_000))\n{\"a\": 1}")
        #expect(reading.lines == [1, 4])
        #expect(
            reading.reasons == [
                .limit("more than 64 levels of nesting"), .limit("more than 64 levels of nesting"),
            ])
        #expect(reading.errors.map(\.line) == [2, 3])
        #expect(try Reading(json: "[\(nested(64))]").records.count == 1)
    }

    @Test(
        arguments: [
            ("", "the array is not closed"), (",", "an object { … } was expected"),
            (",{\"a\": 2", "the file ends in the middle of a record"),
            (",{\"a\": \"", "a string is not closed"),
            (",{\"a\": \"\\", "a string is not closed"), ("{\"a\": 2}]", "a comma or ] is missing"),
            ("] []", "something follows the array"),
            ("]]", "something follows the array"),
        ])
    func `a malformed array is fatal, and the records before the error are read`(rest: String, detail: String)
        throws
    {
        let file = try TemporaryFile("[\n{\"a\": 1}\n" + rest)
        let reader = try JSONRecordReader(path: file.path)
        #expect(try reader.next())
        #expect(reader.text(ofField: 0) == "1")
        let error = #expect(throws: RecordError.self) { try reader.next() }
        #expect(error?.isFatal == true)
        #expect(error?.line == 3)
        guard case .json(detail, let byteOffset)? = error?.reason else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect((11...11 + rest.utf8.count).contains(byteOffset))
        #expect(try !reader.next())
    }

    @Test(arguments: CSVEncodingTests.invalid)
    func `bytes that are not UTF-8 are named by their offset, or replaced`(sequence: [UInt8]) throws {
        let before = Array("{\"a\": 1}\n{\"a\": \"\\n é".utf8)
        let bytes = before + sequence + Array("x\"}\n{\"a\": 3}".utf8)
        let reading = try Reading(json: bytes)
        #expect(reading.records == [["1"], ["3"]])
        #expect(reading.reasons == [.invalidUTF8(byteOffset: before.count)])
        #expect(reading.errors.map(\.line) == [2])
        let replaced = try Reading(json: bytes, replacesInvalidUTF8: true)
        #expect(replaced.errors.isEmpty)
        #expect(
            replaced.records[1] == [
                String(decoding: Array("\n é".utf8) + sequence + Array("x".utf8), as: UTF8.self)
            ])
    }

    @Test func `fields, records and names beyond their limits are errors`() throws {
        let value = String(repeating: "v", count: RecordLimits.fieldSize)
        let fields = (0..<RecordLimits.fieldCount).map { "\"f\($0)\": 1" }.joined(separator: ",")
        let empty = (0...RecordLimits.fieldCount).map { "\"f\($0)\": {}" }.joined(separator: ",")
        let reading = try Reading(
            json: """
                {"f1": "\(value)"}
                {"f1": "\(value)v"}
                {\(fields)}
                {\(fields), "more": 1}
                {\(empty)}
                {"another": 1}
                {"f2": 1}
                """)
        #expect(reading.lines == [1, 3, 7])
        #expect(reading.errors.map(\.line) == [2, 4, 5, 6])
        #expect(
            reading.reasons == [
                .limit("a field of more than 1048576 bytes"), .limit("more than 4096 fields"),
                .limit("more than 4096 fields"),
                .limit("more than 4096 fields in all records together"),
            ])
        let large = "{" + (0..<5).map { "\"f\($0)\": \"\(value)\"" }.joined(separator: ",") + "}\n"
        let fatal = try Reading(json: "{\"a\": 1}\n\(large){\"a\": 3}")
        #expect(fatal.records.count == 1)
        #expect(fatal.errors.map(\.isFatal) == [true])
        #expect(fatal.reasons == [.limit("a record of more than 4194304 bytes")])
    }

    @Test func `UTF-16 is refused`() throws {
        let file = try TemporaryFile([0xFF, 0xFE, 0x5B, 0])
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(error?.reason == .encoding("UTF-16"))
    }

    @Test func `keys that are equal after their repair are one name`() throws {
        func object(_ first: UInt8, _ second: UInt8) -> [UInt8] {
            Array("{\"".utf8) + [first] + Array("\": 1, \"".utf8) + [second] + Array("\": 2}\n".utf8)
        }
        let two = try Reading(json: object(0xFF, 0xFE), replacesInvalidUTF8: true)
        #expect(two.reasons == [.duplicateName("\u{FFFD}")])
        let lines = Array("{\"".utf8) + [0xFF] + Array("\": 1}\n{\"".utf8) + [0xFE] + Array("\": 2}\n".utf8)
        let reading = try Reading(json: lines, replacesInvalidUTF8: true)
        #expect(reading.fieldNames == ["\u{FFFD}"])
        #expect(reading.records == [["1"], ["2"]])
    }
}
