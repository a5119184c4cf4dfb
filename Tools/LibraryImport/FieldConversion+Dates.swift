extension FieldConversion {
    /// The seconds since 2001-01-01 UTC of an ISO 8601 date, with or without a time: `1995-01-17`,
    /// `1995-01-17T12:30:05.5+01:00`. Without a zone it is UTC.
    static func date(_ text: Slice<UnsafeRawBufferPointer>) -> Double? {
        var rest = text
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
        var seconds = Double(days(year: year, month: month, day: day) * 86_400)
        if rest.isEmpty { return seconds }
        guard skip("T "), let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60
        else {
            return nil
        }
        seconds += Double(hour * 3_600 + minute * 60)
        if skip(":") {
            guard let second = digits(2), second <= 60 else { return nil }
            seconds += Double(second)
            if skip(".") {
                var scale = 0.1
                var count = 0
                while let digit = digits(1) {
                    seconds += Double(digit) * scale
                    scale /= 10
                    count += 1
                }
                guard count > 0 else { return nil }
            }
        }
        if rest.isEmpty || skip("Zz") { return rest.isEmpty ? seconds : nil }
        let isEast = rest.first == UInt8(ascii: "+")
        guard skip("+-"), let hours = digits(2) else { return nil }
        _ = skip(":")
        guard let minutes = digits(2), rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        let offset = Double(hours * 3_600 + minutes * 60)
        return isEast ? seconds - offset : seconds + offset
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
        let shiftedYear = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let yearDays = 365 * shiftedYear + shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        // 730,791 such days lie before 2001-01-01.
        return yearDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 730_791
    }
}
