import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// Conversions between ISO 8601 texts and seconds since 2001.
@Suite struct ISO8601TextTests {
    /// Computed by Python's `datetime`, which uses the Gregorian calendar for all years.
    @Test(
        arguments: [
            ("0001-01-01T00:00:00Z", -63_113_904_000), ("1500-01-01T00:00:00Z", -15_810_076_800),
            ("1500-06-15T00:00:00Z", -15_795_820_800), ("1582-10-10T00:00:00Z", -13_198_032_000),
            ("1600-02-29T00:00:00Z", -12_649_305_600), ("1900-03-01T00:00:00Z", -3_182_198_400),
            ("2001-01-01T00:00:00Z", 0), ("9999-12-31T00:00:00Z", 252_423_907_200),
        ])
    func `a date of any four-digit year is converted both ways`(text: String, seconds: Double) {
        #expect(ISO8601Text.seconds(text) == seconds)
        #expect(ISO8601Text.text(seconds) == text)
    }

    @Test func `each day has a different text, which sorts after that of the day before`() {
        var day = -730_851.0  // 0000-01-01
        var last = ""
        while let text = ISO8601Text.text(day * 86_400) {
            // The macro would take longer than the conversion of 3,652,425 days.
            guard last < text, ISO8601Text.seconds(text) == day * 86_400 else {
                Issue.record("“\(text)” after “\(last)”, on day \(day)")
                return
            }
            (last, day) = (text, day + 1)
        }
        #expect(last == "9999-12-31T00:00:00Z")
        #expect(ISO8601Text.text(-730_852.0 * 86_400) == nil)
        #expect(ISO8601Text.seconds("0000-03-01") == -63_140_342_400)
        #expect(ISO8601Text.seconds("0000-02-29") == -63_140_428_800)
    }

    @Test func `milliseconds are converted exactly`() throws {
        for thousandth in 0..<1_000 {
            let digits = String(1_000 + thousandth).dropFirst()
            let text = "2024-05-05T10:11:12.\(digits)Z"
            // The number as parsed by the C library.
            let expected = strtod("736596672.\(digits)", nil)
            #expect(ISO8601Text.seconds(text) == expected, "\(text)")
            let shown = thousandth == 0 ? "2024-05-05T10:11:12Z" : text
            #expect(ISO8601Text.text(expected) == shown)
        }
    }

    @Test(arguments: 1...3)
    func `a random date is read back from its text`(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -63_000_000_000...252_000_000_000, using: &chance)
            let text = try #require(ISO8601Text.text(seconds))
            let read = try #require(ISO8601Text.seconds(text))
            #expect(abs(read - seconds) < 1e-9, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e300, -1e300, 252_423_993_600, -63_145_526_400.5,
    ])
    func `seconds outside the years 0 to 9999 have no text`(seconds: Double) {
        #expect(ISO8601Text.text(seconds) == nil)
    }

    @Test(arguments: [
        "", "2024", "2024-13-01", "2023-02-29", "2024-01-01T", "2024-01-01T24:00", "2024-01-01T10:11:12.",
        "2024-01-01Z0",
        "2024-01-01T10:11:12+1", "+2024-01-01", "2024-01-01T10:11:12.5x", "2024-01-01T10:11Zz",
        "2024-01-01T10:11+-01:00", "2024-01-01T10:11-+01:00", "2024-01-01  10:11", "2024-01-01T10:11:",
        "2024-01-01T10:11:61", "2024-01-01T10:60", "2024-01-01T10:11+24:00", "2024-01-01T10:11+01:60",
        "２０２４-01-01", "2024-01-0١",
    ])
    func `an invalid text is no date`(text: String) {
        #expect(ISO8601Text.seconds(text) == nil)
    }
}
