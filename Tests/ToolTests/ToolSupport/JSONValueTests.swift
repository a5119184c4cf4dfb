import Foundation
import Testing

@testable import ToolSupport

@Suite struct JSONValueTests {
    @Test func `Foundation reads the values that are written`() throws {
        let value: JSONValue = [
            "text": "a \"quoted\" back\\slash \u{0}\u{1B}\u{7F}\u{9B}\n\r\t\u{2028}\u{202E} É李👩‍👩‍👧",
            "numbers": .array([
                .integer(.max), .integer(.min), .number(0.1), .number(-1e300),
                .number(.leastNonzeroMagnitude),
            ]),
            "nothing": nil, "yes": true, "no": false, "empty": [], "nested": ["object": [["a": "b"]]],
        ]
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        #expect(
            read["text"] as? String
                == "a \"quoted\" back\\slash \u{0}\u{1B}\u{7F}\u{9B}\n\r\t\u{2028}\u{202E} É李👩‍👩‍👧")
        let numbers = try #require(read["numbers"] as? [NSNumber])
        #expect(numbers[0].int64Value == .max && numbers[1].int64Value == .min)
        #expect(numbers.dropFirst(2).map(\.doubleValue) == [0.1, -1e300, .leastNonzeroMagnitude])
        #expect(read["nothing"] is NSNull && read["yes"] as? Bool == true && read["no"] as? Bool == false)
        #expect((read["empty"] as? [Any])?.isEmpty == true)
        #expect(((read["nested"] as? [String: Any])?["object"] as? [[String: String]]) == [["a": "b"]])
    }

    @Test func `the text has no terminal control characters`() {
        let text = JSONValue.array((0...0x20FF).compactMap { Unicode.Scalar($0).map { .string(String($0)) } })
            .text
        let unsafe = text.unicodeScalars.filter { $0 != "\n" && TerminalText.isUnsafe($0) }
        #expect(unsafe.isEmpty)
    }

    @Test func `member names are unique, even for readers that normalize Unicode`() throws {
        let value: JSONValue = .object([
            .init("a", .integer(1)), .init("a", .integer(2)), .init("a 2", .integer(3)),
            .init("\u{E9}", .integer(4)), .init("e\u{301}", .integer(5)), .init("a", .integer(6)),
        ])
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Int])
        #expect(read.values.sorted() == [1, 2, 3, 4, 5, 6])
    }

    @Test func `members keep their order, and numbers that JSON lacks are null`() {
        let value: JSONValue = ["z": .number(.infinity), "a": .number(.nan), "m": [:]]
        #expect(value.text == "{\n  \"z\": null,\n  \"a\": null,\n  \"m\": {}\n}\n")
    }
}
