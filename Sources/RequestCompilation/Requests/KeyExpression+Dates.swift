public import Foundation
import ObjectModel

/// Keys of dates, which sort in the order of the dates.
extension KeyExpression {
    /// Returns the year of a date in a time zone, in the proleptic Gregorian calendar with a year 0 (ISO
    /// 8601).
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which years begin.
    public static func year(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.year, timeZone: timeZone.identifier))
    }

    /// Returns the month of a date in a time zone, displayed as `2024-03`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which months begin.
    public static func month(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.month, timeZone: timeZone.identifier))
    }

    /// Returns the day of a date in a time zone, displayed as `2024-03-05`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which days begin.
    public static func day(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.day, timeZone: timeZone.identifier))
    }

    /// Returns the week of a date in a time zone, displayed as `2024-W09`: weeks begin on Monday and belong
    /// to the year of their Thursday (ISO 8601).
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which weeks begin.
    public static func week(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.week, timeZone: timeZone.identifier))
    }

    /// Returns the quarter of a date in a time zone, displayed as `2024-Q1`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which quarters begin.
    public static func quarter(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.quarter, timeZone: timeZone.identifier))
    }

    /// Returns the decade of a date in a time zone, displayed as `1990s`: the year, rounded down to a
    /// multiple of ten.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute. A missing value stays missing.
    ///   - timeZone: The time zone in which decades begin.
    public static func decade(of path: String, in timeZone: TimeZone) -> Self {
        Self(path: path, function: .calendar(.decade, timeZone: timeZone.identifier))
    }
}
