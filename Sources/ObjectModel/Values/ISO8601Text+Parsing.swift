extension ISO8601Text {
    /// The moment of a date, with or without a time: `1995-01-17`, `1995-01-17T12:30:05.5+01:00`. Without a
    /// zone it is UTC.
    package static func seconds(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { seconds(UnsafeRawBufferPointer($0)) }
    }

    /// The moment that the UTF-8 bytes of a text say.
    ///
    /// Takes bytes in memory and no collection of any type: a generic function that another module calls is
    /// not specialized, and then takes a hundred times as long.
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

    /// A place in bytes that are read from their beginning to their end.
    private struct Cursor {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        /// Reads `count` digits; gives nil and does not advance if fewer digits follow.
        mutating func digits(_ count: Int) -> Int64? {
            guard bytes.count - position >= count else { return nil }
            var value: Int64 = 0
            for place in position..<position + count {
                let digit = Int64(bytes[place]) - 0x30
                guard digit >= 0, digit <= 9 else { return nil }
                value = value * 10 + digit
            }
            position += count
            return value
        }

        /// Steps over a character, if it is the next.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        /// Reads the digits behind a point; nil if there are none.
        mutating func fraction() -> Double? {
            // The digits as one number: rounding each would add up. More than 17 tell nothing.
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
