/// Moments as ISO 8601 writes them: seconds since 2001-01-01 UTC, in the calendar of today also for the time
/// before it was introduced.
///
/// Written here because Foundation's changes to the Julian one before 1582, and ends earlier than four digits
/// of a year do.
package enum MomentText {
    /// The moment of a date, with or without a time: `1995-01-17`, `1995-01-17T12:30:05.5+01:00`. Without a
    /// zone it is UTC.
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
            (1...12).contains(month), day >= 1, day <= CivilCalendar.lastDay(ofMonth: month, year: year)
        else { return nil }
        var seconds = CivilCalendar.day(year: year, month: month, day: day) * 86_400
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
                // The digits as one number: rounding each would add up. More than these tell nothing.
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

    /// The moment as a text that ``seconds(_:)`` reads as the same, with as many digits of a fraction as that
    /// takes in threes, up to fifteen, which are too few for some moments of the year 2001. Nil beyond the
    /// years of four digits.
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
