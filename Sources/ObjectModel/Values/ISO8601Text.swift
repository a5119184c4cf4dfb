/// Conversions between ISO 8601 texts and seconds since 2001-01-01 UTC, in the Gregorian calendar, also for
/// dates before its introduction.
///
/// Foundation is not used, because it changes to the Julian calendar before 1582 and does not cover all years
/// of four digits.
package enum ISO8601Text {
    /// Returns the text of a time with the shortest fraction of 0, 3, 6, 9, 12 or 15 digits that
    /// ``seconds(_:)`` parses to the same value; nil outside the years of four digits. Only some times within
    /// 8 seconds of 2001-01-01 00:00 UTC need more digits, and are rounded.
    package static func text(_ seconds: Double) -> String? {
        guard earliest <= seconds, seconds < latest else { return nil }
        var whole = Int64(seconds.rounded(.down))
        let fraction = seconds - Double(whole)
        var digits = ""
        for (count, scale) in [(0, 1.0), (3, 1e3), (6, 1e6), (9, 1e9), (12, 1e12), (15, 1e15)] {
            var number = Int64((fraction * scale).rounded())
            let carry: Int64 = number == Int64(scale) ? 1 : 0
            if carry == 1 { number = 0 }
            guard count == 15 || Double(whole + carry) + Double(number) / scale == seconds else { continue }
            whole += carry
            if count > 0 { digits = "." + padded(number, count) }
            break
        }
        let day = CivilCalendar.floorDivide(whole, 86_400)
        let time = whole - day * 86_400
        let date = CivilCalendar.date(ofDay: day)
        guard (0...9_999).contains(date.year) else { return nil }
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(time / 3_600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2) + digits
            + "Z"
    }

    private static let earliest = Double(CivilCalendar.day(year: 0, month: 1, day: 1) * 86_400)
    private static let latest = Double(CivilCalendar.day(year: 10_000, month: 1, day: 1) * 86_400)

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
