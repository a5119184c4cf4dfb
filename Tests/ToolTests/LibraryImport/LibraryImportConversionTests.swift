import Foundation
import SectionedFetch
import CheckSupport
import Testing

@testable import LibraryImport

/// Conversion of texts to values.
@Suite struct LibraryImportConversionTests {
    private func value(_ text: String, _ type: AttributeType) -> StoredValue? {
        var text = text
        return text.withUTF8 { FieldConversion.value(UnsafeRawBufferPointer($0), as: type) }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+7", 7), (" 12\t", 12), ("2008.0", 2_008), ("-3.000", -3),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("00012", 12),
        ] as [(String, Int64)])
    func `the text of an integer is converted`(text: String, expected: Int64) {
        #expect(value(text, .integer64) == .integer(expected))
    }

    @Test(arguments: [
        "-", "+", ".", "1.", "1.5", "1,0", "0x10", "1 2", "１", "9223372036854775808", "--1", "1e3",
    ])
    func `other texts are not converted to an integer`(text: String) {
        #expect(value(text, .integer64) == nil)
    }

    @Test func `an integer must fit its type`() {
        #expect(value("32767", .integer16) == .integer(32_767))
        #expect(value("32768", .integer16) == nil)
        #expect(value("-2147483648", .integer32) == .integer(-2_147_483_648))
        #expect(value("2147483648", .integer32) == nil)
    }

    @Test(arguments: 1...3)
    func `random numbers are converted as by strtod`(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bits = UInt64.random(in: .min ... .max, using: &chance)
            let number = Double(bitPattern: bits)
            guard number.isFinite else { continue }
            let text = String(format: "%.17g", number)
            #expect(value(text, .double) == .real(strtod(text, nil)), "seed \(seed): \(text)")
        }
    }

    @Test(arguments: ["nan", "inf", "-infinity", "0x1p3", "1e999", "1.2.3", "", "e5"])
    func `a text without a finite number is not converted`(text: String) {
        #expect(value(text, .double) == (text.isEmpty ? .null : nil))
    }

    @Test(arguments: 1...3)
    func `random dates are converted as by Foundation's calendar`(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        let formatter = ISO8601DateFormatter()
        for _ in 0..<2_000 {
            // From the year 1600, since which the calendars agree, to 9999.
            let seconds = Int64.random(in: -12_600_000_000...252_000_000_000, using: &chance)
            let zone = Int.random(in: -56...56, using: &chance) * 900
            formatter.timeZone = TimeZone(secondsFromGMT: zone)
            let text = formatter.string(from: Date(timeIntervalSinceReferenceDate: Double(seconds)))
            #expect(value(text, .date) == .real(Double(seconds)), "seed \(seed): \(text)")
        }
    }

    @Test(
        arguments: [
            ("2001-01-01", 0), ("2001-01-01 00:00", 0), ("2001-01-01T00:00:00.25Z", 0.25),
            ("2001-01-01T01:00+0100", 0), ("2000-12-31T23:30:00-00:30", 0), ("0000-03-01", -63_140_342_400),
            ("2001-01-01T00:00:00.1234567890123456789", 0.123_456_789_012_345_68),
        ] as [(String, Double)])
    func `the text of a date is converted`(text: String, expected: Double) throws {
        guard case .real(let seconds) = try #require(value(text, .date)) else {
            Issue.record("\(text) is not converted to a date")
            return
        }
        #expect(abs(seconds - expected) < 1e-9)
    }

    @Test(
        arguments: [
            "2001-13-01", "2001-00-10", "2001-02-30", "1900-02-29", "2001-1-1", "2001-01-01T24:00",
            "2001-01-01T12", "2001-01-01T12:00:", "2001-01-01T12:00:00.", "2001-01-01T12:00X", "2001-01-01Z",
            "2001-01-01T12:00+1", "1976-77", "c. 1990", "2001-01-01T12:00+01:00x", "+2001-01-01",
        ])
    func `other texts are not converted to a date`(text: String) {
        #expect(value(text, .date) == nil)
    }

    @Test func `a text is taken unchanged, and an empty field is null unless it is a text`() {
        #expect(value(" a ", .string) == .text(" a "))
        #expect(value("", .string) == .text(""))
        for type in AttributeType.allCases where type != .string {
            #expect(value("", type) == .null)
            #expect(value("  ", type) == .null)
            #expect(FieldConversion.value(nil, as: type) == .null)
        }
        #expect(FieldConversion.value(nil, as: .string) == .null)
    }

    @Test func `bytes, UUIDs and Boolean values are converted`() {
        #expect(value("AQID", .binaryData) == .blob([1, 2, 3]))
        #expect(value("A", .binaryData) == nil)
        #expect(
            value("00000000-0000-0000-0000-0000000000ff", .uuid)
                == .blob([UInt8](repeating: 0, count: 15) + [255]))
        #expect(value("00000000", .uuid) == nil)
        for text in ["true", "Yes", "Y", "1"] { #expect(value(text, .boolean) == 1) }
        for text in ["false", "No", "n", "0"] { #expect(value(text, .boolean) == 0) }
        #expect(value("2", .boolean) == nil)
    }

    @Test func `a float is rounded to single precision`() {
        #expect(value("0.1", .float) == .real(Double(Float(0.1))))
        #expect(value("1e39", .float) == nil)
    }
}
