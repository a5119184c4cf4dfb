import RecordReading
import Testing

@Suite struct JSONDialectTests {
    @Test(
        arguments: [
            (#"{"a": NaN}"#, .notANumber("NaN"), 6, "write null"),
            (#"{"a": [1, -nan]}"#, .notANumber("-nan"), 10, "write null"),
            (#"{"a": Infinity}"#, .infinity("Infinity"), 6, "write null"),
            (#"{"a": -Infinity}"#, .infinity("-Infinity"), 6, "write null"),
            (#"{"a": +inf}"#, .infinity("+inf"), 6, "write null"),
            (#"{"a": None}"#, .word("None", instead: "null"), 6, "write null"),
            (#"{"a": True}"#, .word("True", instead: "true"), 6, "write true"),
            (#"{"a": undefined}"#, .word("undefined", instead: "null"), 6, "write null"),
            (#"{"a": 'x'}"#, .singleQuotes, 6, "double quotes"),
            (#"{'a': 1}"#, .singleQuotes, 1, "double quotes"),
            (#"{a: 1}"#, .unquotedName, 1, "names in double quotes"),
            (#"{"b": 1, _a$: 1}"#, .unquotedName, 9, "names in double quotes"),
            (#"{"a": 1,}"#, .trailingComma, 8, "remove the comma"),
            (#"{"a": [1,]}"#, .trailingComma, 9, "remove the comma"),
            (#"{"a": 1 // one"#, .comment, 8, "remove the comments"),
            (#"{"a": /* one */ 1}"#, .comment, 6, "remove the comments"),
            (#"{"a": 1, # one"#, .comment, 9, "remove the comments"),
            (#"// {"a": 1}"#, .comment, 0, "remove the comments"),
        ] as [(String, JSONDialect, Int, String)])
    func `a construct of lenient parsers is named with a remedy, and other lines are read`(
        bad: String, dialect: JSONDialect, position: Int, remedy: String
    ) throws {
        let before = "{\"a\": \"é\"}\n"
        let reading = try Reading(json: before + bad + "\n{\"a\": 3}\n")
        #expect(reading.records.map { $0[0] } == ["é", "3"])
        #expect(reading.reasons == [.dialect(dialect, byteOffset: before.utf8.count + position)])
        #expect(reading.errors.map(\.line) == [2])
        #expect(reading.errors.first?.description.contains(remedy) == true, "\(reading.errors)")
    }

    @Test(arguments: ["{\"a\": nano}", "{\"a\": nul}", "{\"a\": Nothing}", "{\"a\": +1}", "{\"a\": .5}"])
    func `words of no known dialect are plain errors of JSON`(bad: String) throws {
        let reading = try Reading(json: "{\"a\": 1}\n\(bad)\n")
        guard case .json? = reading.reasons.first else {
            Issue.record("not \(reading.reasons)")
            return
        }
    }

    @Test func `a comma at the end of an array is named`() throws {
        let reading = try Reading(json: "[{\"a\": 1},\n{\"a\": 2},\n]")
        #expect(reading.records == [["1"], ["2"]])
        #expect(reading.reasons == [.dialect(.trailingComma, byteOffset: 21)])
        #expect(reading.errors.map(\.isFatal) == [true])
    }
}
