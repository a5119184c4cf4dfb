extension ISO8601Text {
    /// Parses a date with or without a time, `1995-01-17` or `1995-01-17T12:30:05.5+01:00`, as seconds since
    /// 2001-01-01 UTC; nil for any other text. A time without a zone is in UTC.
    package static func seconds(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { seconds(UnsafeRawBufferPointer($0)) }
    }

    /// Parses the UTF-8 bytes of a date with or without a time.
    ///
    /// Takes a buffer rather than a generic collection: a generic function that another module calls is not
    /// specialized, and is then a hundred times slower.
    package static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
        var rest = Cursor(bytes: text)
        guard let year = rest.digits(4), rest.skip("-"), let month = rest.digits(2), rest.skip("-"),
            let day = rest.digits(2), (1...12).contains(month), day >= 1,
            day <= CivilCalendar.lastDay(ofMonth: month, year: year)
        else { return nil }
        var seconds = CivilCalendar.day(year: year, month: month, day: day) * 86_400
        if rest.isAtEnd { return Double(seconds) }
        guard rest.skip("T") || rest.skip(" "), let hour = rest.digits(2), rest.skip(":"),
            let minute = rest.digits(2), hour < 24, minute < 60
        else { return nil }
        seconds += hour * 3_600 + minute * 60
        var fraction = 0.0
        if rest.skip(":") {
            guard let second = rest.digits(2), second <= 60 else { return nil }
            seconds += second
            if rest.skip(".") {
                guard let part = rest.fraction() else { return nil }
                fraction = part
            }
        }
        if !rest.isAtEnd, !rest.skip("Z"), !rest.skip("z") {
            let isEast = rest.skip("+")
            guard isEast || rest.skip("-"), let hours = rest.digits(2) else { return nil }
            _ = rest.skip(":")
            guard let minutes = rest.digits(2), hours < 24, minutes < 60 else { return nil }
            let offset = hours * 3_600 + minutes * 60
            seconds += isEast ? -offset : offset
        }
        return rest.isAtEnd ? Double(seconds) + fraction : nil
    }

    /// A cursor over bytes that are read from the beginning to the end.
    private struct Cursor {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        /// Reads `count` digits; returns nil and does not advance if fewer digits follow.
        mutating func digits(_ count: Int) -> Int64? {
            guard bytes.count - position >= count else { return nil }
            var value: Int64 = 0
            for index in position..<position + count {
                let digit = Int64(bytes[index]) - 0x30
                guard digit >= 0, digit <= 9 else { return nil }
                value = value * 10 + digit
            }
            position += count
            return value
        }

        /// Skips a character, if it is the next one.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        /// Reads the digits after a point; nil if no digit follows.
        mutating func fraction() -> Double? {
            // The digits are read as one number, because the rounding errors of single digits would add up.
            // More than 17 digits have no effect.
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
            return count > 0 ? Double(number) / scale : nil
        }
    }
}
