/// One song of a generated catalogue.
package struct Song: Hashable, Sendable {
    /// The song's key, unique in its catalogue: 1 for the first song, 2 for the next, and so on.
    package let key: Int64
    /// The title, in NFC. Titles occasionally repeat.
    package let title: String
    /// The artist's name, which identifies the artist.
    package let artist: String
    /// The album's title, which is not unique: artist and title together identify an album.
    package let album: String
    /// The year of the album, 1950 to 2024.
    package let year: Int
    /// The artist's genre, one of 24.
    package let genre: String
    /// The key of the song's section, according to ``CatalogueOptions/sections``.
    package let section: String
    /// The duration in seconds, 90 to 448.
    package let durationInSeconds: Int
    /// The date when the song was added to the library, in seconds since 2001-01-01 00:00:00 UTC. Not earlier
    /// than the date of the song before.
    package let addedInSecondsSince2001: Int64
}

extension Song {
    /// The date when the song was added to the library, in ISO 8601 and UTC: "2004-01-01T00:00:07Z".
    package var addedText: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20)
        appendAddedText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends ``addedText`` to `bytes`.
    func appendAddedText(to bytes: inout [UInt8]) {
        let secondsInDay: Int64 = 86_400
        let date = CivilDate(daysSince2001: addedInSecondsSince2001 / secondsInDay)
        let second = Int(addedInSecondsSince2001 % secondsInDay)
        bytes.append(digitsOf: date.year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digitsOf: date.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digitsOf: date.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(digitsOf: second / 3_600, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digitsOf: second / 60 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digitsOf: second % 60, width: 2)
        bytes.append(UInt8(ascii: "Z"))
    }
}

/// A day of the Gregorian calendar, computed without Foundation so that no time zone data can change it.
private struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    /// Creates the date of a day.
    ///
    /// - Parameter daysSince2001: The number of days after 2001-01-01, 0 or more.
    ///
    /// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    init(daysSince2001: Int64) {
        let daysFrom0000March1To2001 = 730_791
        let days = Int(daysSince2001) + daysFrom0000March1To2001
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }
}

extension [UInt8] {
    /// Appends `number` in decimal digits.
    ///
    /// - Parameters:
    ///   - number: A number, 0 or more.
    ///   - width: The smallest number of digits, filled with leading zeros.
    mutating func append(digitsOf number: Int, width: Int = 1) {
        var divisor = 1
        var digits = 1
        while digits < width || number / divisor >= 10 {
            divisor *= 10
            digits += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
