import Foundation

/// Days and times in the proleptic Gregorian calendar, which applies the rules of the Gregorian calendar to
/// all years.
package final class CivilCalendar {
    private let timeZone: TimeZone
    private let isUTC: Bool

    /// Creates a calendar for a time zone; nil for an identifier that the system does not know.
    package init?(timeZone identifier: String) {
        guard let timeZone = TimeZone(identifier: identifier) else { return nil }
        self.timeZone = timeZone
        isUTC = ["UTC", "GMT", "Etc/UTC"].contains(identifier)
    }

    /// Returns the day of a time, in days since 2001-01-01; nil outside ±285 million years.
    ///
    /// - Parameter seconds: Seconds since 2001-01-01 00:00 UTC.
    package func day(ofSeconds seconds: Double) -> Int64? {
        guard seconds.isFinite, abs(seconds) < 9e15 else { return nil }
        let offset =
            isUTC ? 0 : timeZone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: seconds))
        return Int64(((seconds + Double(offset)) / 86_400).rounded(.down))
    }

    /// Returns the date of a day.
    ///
    /// Counts years from March, so that the leap day is the last day of its year, in cycles of 400 years with
    /// 146,097 days each.
    ///
    /// - Parameter day: Days since 2001-01-01.
    package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // The first day of a cycle, 2000-03-01, is 306 days before 2001-01-01.
        let shifted = day + 306
        let cycle = floorDivide(shifted, 146_097)
        let dayOfCycle = shifted - cycle * 146_097
        // Subtract the earlier leap days: one for each 1,460 days, none for each 36,524 days, but one for
        // each 146,096 days.
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        // Months from March have 31, 30, 31, 30, 31 days over and over: 153 days in five.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = 2000 + cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Returns the days from 2001-01-01 to a date.
    package static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let yearFromMarch = month > 2 ? year : year - 1
        let leapDays =
            floorDivide(yearFromMarch, 4) - floorDivide(yearFromMarch, 100) + floorDivide(yearFromMarch, 400)
        // 730,791 days lie between the first of March of the year 0 and 2001-01-01.
        return 365 * yearFromMarch + leapDays + (153 * ((month + 9) % 12) + 2) / 5 + day - 1 - 730_791
    }

    /// Returns the last day of a month.
    package static func lastDay(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns a quotient rounded down, also for a negative dividend. The divisor must be positive.
    package static func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        let quotient = dividend / divisor
        return dividend % divisor < 0 ? quotient - 1 : quotient
    }
}
