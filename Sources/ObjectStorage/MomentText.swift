/// Moments as ISO 8601 writes them: seconds since 2001-01-01 UTC, in the calendar of today also for the time before it was introduced.
///
/// Written here because Foundation's calendar changes to the Julian one before 1582, and ends earlier than four digits of a year do.
package enum MomentText {
    /// The moment of a date, with or without a time: `1995-01-17`, `1995-01-17T12:30:05.5+01:00`. Without a zone it is UTC.
    package static func seconds(_ text: some Collection<UInt8>) -> Double? {
        var rest = text[...]
        func digits(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for byte in rest.prefix(count) {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte) - 0x30
            }
            rest = rest.dropFirst(count)
            return value
        }
        func skip(_ characters: StaticString) -> Bool {
            guard let first = rest.first, "\(characters)".utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
            (1...12).contains(month), day >= 1, day <= lastDay(ofMonth: month, year: year)
        else { return nil }
        var seconds = days(year: year, month: month, day: day) * 86_400
        if rest.isEmpty { return Double(seconds) }
        guard skip("T "), let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60
        else {
            return nil
        }
        seconds += hour * 3_600 + minute * 60
        var fraction = 0.0
        if skip(":") {
            guard let second = digits(2), second <= 60 else { return nil }
            seconds += second
            if skip(".") {
                // The digits as one number, so that no more than one rounding comes before the sum. More than these tell nothing.
                var number: Int64 = 0
                var scale = 1.0
                var count = 0
                while let digit = digits(1) {
                    if count < 17 {
                        number = number * 10 + digit
                        scale *= 10
                    }
                    count += 1
                }
                guard count > 0 else { return nil }
                fraction = Double(number) / scale
            }
        }
        if !rest.isEmpty, !skip("Zz") {
            let isEast = rest.first == UInt8(ascii: "+")
            guard skip("+-"), let hours = digits(2) else { return nil }
            _ = skip(":")
            guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
            let offset = hours * 3_600 + minutes * 60
            seconds += isEast ? -offset : offset
        }
        return rest.isEmpty ? Double(seconds) + fraction : nil
    }

    /// The moment as a text that ``seconds(_:)`` reads as the same, with as many digits of a fraction as that takes: none, three,
    /// six or nine. Nil beyond the years of four digits.
    package static func text(_ seconds: Double) -> String? {
        guard earliest <= seconds, seconds < latest else { return nil }
        var whole = Int64(seconds.rounded(.down))
        let fraction = seconds - Double(whole)
        var digits = ""
        for (count, scale) in [(0, 1.0), (3, 1e3), (6, 1e6), (9, 1e9)] {
            var number = Int64((fraction * scale).rounded())
            let carry: Int64 = number == Int64(scale) ? 1 : 0
            if carry == 1 { number = 0 }
            guard count == 9 || Double(whole + carry) + Double(number) / scale == seconds else { continue }
            whole += carry
            if count > 0 { digits = "." + padded(number, count) }
            break
        }
        let (days, time) = (floored(whole, 86_400), whole - floored(whole, 86_400) * 86_400)
        let (year, month, day) = date(days: days)
        guard (0...9_999).contains(year) else { return nil }
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(time / 3_600, 2)
            + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2) + digits + "Z"
    }

    private static let earliest = Double(days(year: 0, month: 1, day: 1) * 86_400)
    private static let latest = Double(days(year: 10_000, month: 1, day: 1) * 86_400)

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func lastDay(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 2001-01-01, counting years from March so that the leap day comes last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let monthFromMarch = (month + 9) % 12
        return daysBefore(month > 2 ? year : year - 1) + (153 * monthFromMarch + 2) / 5 + day - 1
    }

    /// The days from 2001-01-01 to the first of March of a year.
    private static func daysBefore(_ year: Int64) -> Int64 {
        // 730,791 days lie between the first of March of the year 0 and 2001-01-01.
        365 * year + floored(year, 4) - floored(year, 100) + floored(year, 400) - 730_791
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Of 400 years, which have 146,097 days; not more than a year too early or too late.
        var year = floored((days + 730_791) * 400, 146_097)
        while daysBefore(year) > days { year -= 1 }
        while daysBefore(year + 1) <= days { year += 1 }
        let day = days - daysBefore(year)
        let monthFromMarch = (5 * day + 2) / 153
        return (
            monthFromMarch < 10 ? year : year + 1, (monthFromMarch + 2) % 12 + 1,
            day - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// A quotient rounded down, also below zero.
    private static func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
