import ObjectModel

/// A unit of the calendar by which dates are grouped, in the proleptic Gregorian calendar (ISO 8601).
///
/// Each unit of each date is one number; numbers sort like the dates.
package enum CalendarUnit: Int64, CaseIterable, Hashable, Sendable {
    case year, month, day, week, quarter, decade

    /// The name in descriptions and fingerprints.
    package var name: String {
        switch self {
        case .year: "year"
        case .month: "month"
        case .day: "day"
        case .week: "week"
        case .quarter: "quarter"
        case .decade: "decade"
        }
    }

    /// Returns the number of the unit that contains a day: the year, year × 100 + month, year × 10,000 +
    /// month × 100 + day, year × 100 + week, year × 10 + quarter, or the first year of the decade.
    ///
    /// - Parameter day: Days since 2001-01-01.
    package func number(ofDay day: Int64) -> Int64 {
        let date = CivilCalendar.date(ofDay: day)
        switch self {
        case .year: return date.year
        case .month: return date.year * 100 + date.month
        case .day: return date.year * 10_000 + date.month * 100 + date.day
        case .week:
            // 2001-01-01 was a Monday. A week belongs to the year of its Thursday.
            let thursday = CivilCalendar.floorDivide(day, 7) * 7 + 3
            let year = CivilCalendar.date(ofDay: thursday).year
            let dayOfYear = thursday - CivilCalendar.day(year: year, month: 1, day: 1)
            return year * 100 + dayOfYear / 7 + 1
        case .quarter: return date.year * 10 + (date.month + 2) / 3
        case .decade: return CivilCalendar.floorDivide(date.year, 10) * 10
        }
    }

    /// Returns the displayed form of a number of the unit: `2024`, `2024-03`, `2024-03-05`, `2024-W09`,
    /// `2024-Q1`, `1990s`. The form is defined for every number.
    package func name(of number: Int64) -> String {
        func parted(_ divisor: Int64) -> (year: Int64, rest: Int64) {
            let year = CivilCalendar.floorDivide(number, divisor)
            // The product may be below the smallest 64-bit integer.
            return (year, number &- year &* divisor)
        }
        switch self {
        case .year: return String(number)
        case .decade: return "\(number)s"
        case .month:
            let (year, month) = parted(100)
            return "\(Self.padded(year, 4))-\(Self.padded(month, 2))"
        case .day:
            let (year, rest) = parted(10_000)
            return "\(Self.padded(year, 4))-\(Self.padded(rest / 100, 2))-\(Self.padded(rest % 100, 2))"
        case .week:
            let (year, week) = parted(100)
            return "\(Self.padded(year, 4))-W\(Self.padded(week, 2))"
        case .quarter:
            let (year, quarter) = parted(10)
            return "\(Self.padded(year, 4))-Q\(quarter)"
        }
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
