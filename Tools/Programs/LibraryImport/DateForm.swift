import SectionedFetch

/// The pattern of the dates in a column, such as `dd.MM.yyyy`, in Unicode's letters for date fields.
///
/// The fields are yyyy, MM, M, MMM and MMMM (English names), dd, d, HH, H, hh and h with a (AM or PM), mm and
/// ss. Two letters match two digits, one letter matches one or two digits. All other characters match
/// themselves. Foundation's formatters are not used, because they change to the Julian calendar before 1582.
///
/// Source: Unicode Technical Standard #35, "Date Field Symbol Table".
struct DateForm: Equatable, Sendable {
    private enum Field: Equatable, Sendable {
        case year
        case month(digits: Int)
        case monthName(isShort: Bool)
        case day(digits: Int)
        case hour(digits: Int, isHalf: Bool)
        case halfOfDay
        case minute
        case second
        case literal(UInt8)
    }

    let pattern: String
    private let fields: [Field]

    /// Parses a pattern; nil if it has other letters, a field twice, or no year, month or day.
    init?(pattern: String) {
        var fields: [Field] = []
        var rest = Substring(pattern)
        while let letter = rest.first {
            let run = rest.prefix { $0 == letter }
            rest = rest.dropFirst(run.count)
            switch (letter, run.count) {
            case ("y", 4): fields.append(.year)
            case ("M", 1), ("M", 2): fields.append(.month(digits: run.count))
            case ("M", 3), ("M", 4): fields.append(.monthName(isShort: run.count == 3))
            case ("d", 1), ("d", 2): fields.append(.day(digits: run.count))
            case ("H", 1), ("H", 2): fields.append(.hour(digits: run.count, isHalf: false))
            case ("h", 1), ("h", 2): fields.append(.hour(digits: run.count, isHalf: true))
            case ("a", 1): fields.append(.halfOfDay)
            case ("m", 2): fields.append(.minute)
            case ("s", 2): fields.append(.second)
            default:
                if letter == "T" || !letter.isLetter && !letter.isNumber {
                    fields += String(run).utf8.map(Field.literal)
                } else {
                    return nil
                }
            }
        }
        func count(_ isField: (Field) -> Bool) -> Int { fields.count(where: isField) }
        let months = count {
            switch $0 {
            case .month, .monthName: true
            default: false
            }
        }
        let days = count { if case .day = $0 { true } else { false } }
        let hours = count { if case .hour = $0 { true } else { false } }
        let isHalf = fields.contains { if case .hour(_, true) = $0 { true } else { false } }
        guard count({ $0 == .year }) == 1, months == 1, days == 1, hours <= 1,
            count({ $0 == .halfOfDay }) == (isHalf ? 1 : 0), count({ $0 == .minute }) <= hours,
            count({ $0 == .second }) <= count({ $0 == .minute })
        else { return nil }
        self.pattern = pattern
        self.fields = fields
    }

    /// The forms that dates commonly have, besides ISO 8601.
    static let common: [DateForm] = {
        let days = [
            "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyyMMdd", "dd.MM.yyyy", "d.M.yyyy", "MM/dd/yyyy",
            "M/d/yyyy", "dd/MM/yyyy", "d/M/yyyy", "dd-MM-yyyy", "d-M-yyyy", "MM-dd-yyyy", "M-d-yyyy",
            "MMM d, yyyy", "MMMM d, yyyy", "d MMM yyyy", "d MMMM yyyy", "dd MMM yyyy", "dd-MMM-yyyy",
            "d-MMM-yyyy", "d. MMMM yyyy", "yyyy-M-d",
        ]
        let times = ["", " HH:mm", " HH:mm:ss", " H:mm", " h:mm a", " h:mm:ss a"]
        return times.flatMap { time in days.map { $0 + time } }.compactMap(DateForm.init(pattern:))
    }()

    private static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ].map { Array($0.utf8) }

    /// Returns the seconds since 2001-01-01 UTC of a text; nil if it is not a date in this form.
    func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
        var (year, month, day, hour, minute, second) = (
            Int64(0), Int64(0), Int64(0), Int64(0), Int64(0), Int64(0)
        )
        var isAfternoon: Bool?
        var rest = text[...]
        for field in fields {
            switch field {
            case .year:
                guard let number = Self.number(&rest, digits: 4) else { return nil }
                year = number
            case .month(let digits):
                guard let number = Self.number(&rest, digits: digits) else { return nil }
                month = number
            case .monthName(let isShort):
                guard let number = Self.month(&rest, isShort: isShort) else { return nil }
                month = number
            case .day(let digits):
                guard let number = Self.number(&rest, digits: digits) else { return nil }
                day = number
            case .hour(let digits, let isHalf):
                guard let number = Self.number(&rest, digits: digits),
                    isHalf ? (1...12).contains(number) : number < 24
                else { return nil }
                hour = number
            case .minute:
                guard let number = Self.number(&rest, digits: 2), number < 60 else { return nil }
                minute = number
            case .second:
                guard let number = Self.number(&rest, digits: 2), number < 60 else { return nil }
                second = number
            case .halfOfDay:
                let mark = String(decoding: rest.prefix(2), as: UTF8.self)
                guard ["AM", "PM", "am", "pm"].contains(mark) else { return nil }
                isAfternoon = mark.lowercased() == "pm"
                rest = rest.dropFirst(2)
            case .literal(let byte):
                guard rest.popFirst() == byte else { return nil }
            }
        }
        guard rest.isEmpty, (1...12).contains(month), day >= 1,
            day <= CivilCalendar.lastDay(ofMonth: month, year: year)
        else { return nil }
        if let isAfternoon { hour = hour % 12 + (isAfternoon ? 12 : 0) }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// Reads a number of exactly this many digits, or, for one digit, of one or two digits without a zero at
    /// the beginning.
    private static func number(_ rest: inout Slice<UnsafeRawBufferPointer>, digits: Int) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while count < max(digits, 2), let byte = rest.first, byte >= 0x30, byte <= 0x39 {
            if digits == 1, count == 1, value == 0 { return nil }
            value = value * 10 + Int64(byte) - 0x30
            rest = rest.dropFirst()
            count += 1
        }
        return count == digits || digits == 1 && count > 0 ? value : nil
    }

    /// Reads the English name of a month, or its first three letters.
    private static func month(_ rest: inout Slice<UnsafeRawBufferPointer>, isShort: Bool) -> Int64? {
        for (position, name) in monthNames.enumerated() {
            let written = isShort ? name.prefix(3) : name[...]
            guard rest.count >= written.count,
                zip(rest, written).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
            else { continue }
            rest = rest.dropFirst(written.count)
            return Int64(position + 1)
        }
        return nil
    }
}

extension DateForm: WrittenForm {
    static func refusal(of text: String) -> String {
        "“\(text)” is not a pattern of dates: write dd.MM.yyyy or MMM d, yyyy"
    }

    init?(text: String) { self.init(pattern: text) }

    var text: String { pattern }
}
