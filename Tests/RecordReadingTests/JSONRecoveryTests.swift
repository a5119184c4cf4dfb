import CheckSupport
import Foundation
import RecordReading
import Testing

/// Reading after a bad record, which never continues inside it.
@Suite struct JSONRecoveryTests {
    /// Bad objects whose ends their brackets show.
    private static let closed = [
        #"{"a": NaN}"#, #"{"a": 1, "a": 2}"#, #"{"a": [1, {"a": 7},]}"#, #"{"a": {"a": 7, "b": 01}}"#,
        "{\"a\": tru,\n \"b\": [\n{\"a\": 7}\n]}", #"{"a": "\x, {\"a\": 7}, "}"#, "{\"a\": nil, \"b\": {}}",
    ]
    /// Bad objects whose ends are unknown.
    private static let open = [
        #"{"a": "he said "hi, {"a": 7}"}"#, "{\"a\": \"x\ny\", \"b\": {\"a\": 7}}", #"{"a": [1}, {"a": 7}]"#,
        #"{'a': '}, {"a": 7}'}"#, #"{"a": 1 /* } */, "b": 1}"#, #"{"a": 1"#,
    ]

    @Test func `in an array, only the elements of the array are read, whatever the bad ones contain`() throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var elements: [String] = []
            var expected: [String] = []
            var badCount = 0
            var isOpen = false
            for number in 0..<Int.random(in: 1...30, using: &generator) {
                let roll = Int.random(in: 0..<20, using: &generator)
                if roll < 3 {
                    elements.append(Self.closed.randomElement(using: &generator)!)
                    badCount += isOpen ? 0 : 1
                } else if roll == 3 {
                    elements.append(Self.open.randomElement(using: &generator)!)
                    badCount += isOpen ? 0 : 1
                    isOpen = true
                } else if roll == 4 {
                    elements.append(
                        ["null", "[]", "[{\"a\": 7}]", "8", "\"{\"", "true"].randomElement(using: &generator)!
                    )
                    badCount += isOpen ? 0 : 1
                } else {
                    elements.append("{\"a\": \"good \(number)\"}")
                    if !isOpen { expected.append("good \(number)") }
                }
            }
            let separator = [",", ",\n", "\n, "].randomElement(using: &generator)!
            let text = "[" + elements.joined(separator: separator) + "]"
            let reading = try Reading(json: text)
            #expect(reading.values("a") == expected, "seed \(seed): \(text)")
            #expect(reading.errors.count == badCount, "seed \(seed): \(text)")
            #expect(reading.errors.last?.isFatal ?? false == isOpen, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: [
        "{\"type\": \"X\", \"items\": [{\"a\": \"in 0\"},\n{\"a\": \"in 1\"},\n{\"a\": NaN}]}",
        "{\"type\": NaN, \"items\": [\n{\"a\": \"in 0\"},\n{\"a\": \"in 1\"}]}",
        "{\"type\": NaN, \"item\":\n{\"a\": \"in 0\"}\n}",
        "{\"type\": NaN, \"items\": [\n{\"a\": \"in 0\"}\n]\n}",
        "{\"type\": NaN,\n\"item\": {\"a\": \"in 0\"}}",
        "{\"type\": 01, \"item\":\n\n{\"b\": 1,\n\"a\": \"in 0\"}\n, \"x\": [\n{\"a\": \"in 1\"}\n]}",
    ])
    func `a bad record of several lines among lines is skipped as a whole`(bad: String) throws {
        let reading = try Reading(json: "{\"a\": \"1\"}\n\(bad)\n{\"a\": \"2\"}\n\(bad)")
        #expect(reading.values("a") == ["1", "2"])
        #expect(reading.errors.map(\.line) == [2, 3 + bad.count { $0 == "\n" } + 1])
        #expect(reading.errors.map(\.isFatal) == [false, false])
    }

    @Test(arguments: [
        "{\"type\": NaN, \"items\": [\n{\"a\": \"in 0\"},\n{\"a\": \"in 1\"}",
        "{\"type\": NaN, \"items\": [{\"text\": \"two\nlines\"},\n{\"a\": \"in 1\"},\n{\"a\": \"in 2\"}]}",
        "{\"x\": \"one\n{ return 1 }\", \"items\": [\n{\"a\": \"in 1\"}\n]}",
    ])
    func `a bad record whose end is unknown ends the reading`(bad: String) throws {
        let reading = try Reading(json: "{\"a\": \"1\"}\n\(bad)\n{\"a\": \"2\"}\n")
        #expect(reading.values("a") == ["1"])
        #expect(reading.errors.map(\.isFatal) == [true])
    }

    @Test(arguments: [
        "{\"a\":", "{\"a\": [", "{\"a\": [1,", "{\"a\": \"x", "{\"b\": 1,", "{\"a\": {\"b\": 2},",
    ])
    func `a line that is truncated where a value could follow does not hide the next`(bad: String) throws {
        let reading = try Reading(json: "{\"a\": \"1\"}\n\(bad)\n{\"a\": \"2\"}\n{\"a\": \"3\"}\n\(bad)")
        #expect(reading.values("a") == ["1", "2", "3"])
        #expect(reading.errors.map(\.line) == [2, 5])
        #expect(reading.errors.map(\.isFatal) == [false, false])
    }

    @Test func `a text in place of a record is skipped, whatever its size and bytes`() throws {
        let long = Array(String(repeating: "long \\\" ]", count: 300_000).utf8)
        for text in [[0xFF, 0xC3], long, Array("\\\\".utf8)] as [[UInt8]] {
            let bytes = Array("[{\"a\": \"1\"}, \"".utf8) + text + Array("\", {\"a\": \"2\"}]".utf8)
            let reading = try Reading(json: bytes)
            #expect(reading.values("a") == ["1", "2"])
            #expect(reading.errors.map(\.isFatal) == [false])
        }
    }

    @Test func `objects of several lines are read after a bad one`() throws {
        let reading = try Reading(
            json: "{\n \"a\": \"1\"\n}\n{\n \"b\": NaN, \"c\": [\n{\"a\": \"in\"}\n]\n}\n{\n\"a\": \"2\"\n}\n"
        )
        #expect(reading.values("a") == ["1", "2"])
        #expect(reading.errors.map(\.line) == [4])
        #expect(reading.lines == [1, 9])
    }

    @Test(arguments: ["[]", "[1, 2]", "null", "7", "\"x\"", "[{\"a\": 7}]"])
    func `values that are no objects are skipped in lines, also in the first`(other: String) throws {
        for text in ["\(other)\n{\"a\": \"1\"}\n", "\(other)\r\n\(other)\n{\"a\": \"1\"}\n{\"a\": \"2\"}"] {
            let reading = try Reading(json: text)
            #expect(reading.values("a").first == "1", "\(text)")
            #expect(reading.errors.count == text.components(separatedBy: other).count - 1, "\(text)")
            #expect(reading.errors.allSatisfy { !$0.isFatal }, "\(text)")
        }
    }
}
