import Testing
import ToolSupport

@Suite struct WrittenNumberTests {
    @Test(arguments: [
        ["0", "-0.00", "0e99", "0e-5", "000"], ["5", "+5", "5.", "5.0e0", "0.5E1", "500e-2"],
        ["-0.5", "-.50", "-5e-1"], ["1000", "1e3", "1.000E+03"],
        ["9007199254740993", "9007199254740993.000", "9.007199254740993e15"],
        ["1e400", "10e399", "1\(String(repeating: "0", count: 400))"],
    ])
    func `a number is the same in every notation`(texts: [String]) throws {
        let first = try #require(WrittenNumber(texts[0]))
        for text in texts { #expect(WrittenNumber(text) == first, "\(text)") }
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "10"), ("0.1", "0.10000000000000001"),
        ("1234567890123456.78", "1234567890123456.79"),
        ("9007199254740993", "9007199254740992"), ("1e400", "1e401"),
    ])
    func `numbers that may be equal as doubles are different`(first: String, second: String) throws {
        #expect(try #require(WrittenNumber(first)) != #require(WrittenNumber(second)))
    }

    @Test(arguments: [
        "", "-", ".", "e5", ".e5", "1e", "1e+", "1.2.3", "1e5.0", "--1", "1 ", "0x5", "nan", "inf", "٣",
        "1e99999999999999999999", "123456789012345678901234567891",
    ])
    func `a text that is no number or has too many digits is refused`(text: String) {
        #expect(WrittenNumber(text) == nil)
    }

    @Test(
        arguments: [
            ("9223372036854775807.0", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("92e17", 9_200_000_000_000_000_000), ("1e19", nil), ("0.5", nil),
            ("5e-1", nil), ("50e-1", 5), ("-0.0", 0), ("1e4000000000", nil),
        ] as [(String, Int64?)])
    func `a number is an integer if it is whole and fits 64 bits`(text: String, integer: Int64?) throws {
        #expect(try #require(WrittenNumber(text)).integer == integer)
    }

    @Test func `the shortest text of a double equals a number of up to fifteen digits`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let digits = Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &generator)
            let text = "\(digits)e\(Int.random(in: -300...290, using: &generator))"
            let number = try #require(Double(text))
            #expect(WrittenNumber(text) == WrittenNumber(number.description), "\(text)")
        }
    }
}
