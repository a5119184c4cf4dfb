import GRDBSQLite
import ObjectModel
import RequestCompilation

/// The values that were found in one column of a surveyed table.
struct ColumnContents {
    /// The notation of dates as text.
    enum DateNotation { case day, dateTime, dateTimeZone, iso8601 }

    private(set) var integerCount = 0
    private(set) var realCount = 0
    private(set) var textCount = 0
    private(set) var blobCount = 0
    private(set) var nullCount = 0
    /// The bounds of the integers other than zero.
    private(set) var integers: ClosedRange<Int64>?
    private(set) var zeroCount = 0
    /// Whether every integer other than zero has the digits of a date and a time.
    private(set) var haveCalendarDigits = true
    /// The bounds of the floating-point numbers.
    private(set) var reals: ClosedRange<Double>?
    /// The notation of all texts; nil if a text is not a date, or the notations differ.
    private(set) var dateNotation: DateNotation?
    private(set) var areTextsUUIDs = true
    private(set) var areBlobsUUIDs = true
    /// The first text, as an example.
    private(set) var firstText: String?
    private var mayBeDates = true

    /// The length to which ``expression(ofColumn:)`` shortens texts, in characters: more than a date or a
    /// UUID has.
    private static let textLength = 40

    /// Returns the SQL of a column's value as ``note(_:_:)`` expects it. Texts that are neither dates nor
    /// UUIDs become empty, so that long texts are not copied. A blob of 16 bytes becomes one byte, and any
    /// other blob becomes empty.
    static func expression(ofColumn name: String) -> String {
        let column = name.columnIdentifier
        let digits = [4, 2, 2].map { String(repeating: "[0-9]", count: $0) }.joined(separator: "-")
        let text =
            "iif(\(column) GLOB '\(digits)*' OR length(\(column)) = 36, substr(\(column), 1, \(textLength)), '')"
        return
            "CASE typeof(\(column)) WHEN 'text' THEN \(text) WHEN 'blob' THEN zeroblob(length(\(column)) = 16) ELSE \(column) END"
    }

    /// Records the value of a column of the current row.
    mutating func note(_ statement: SQLiteStatement, _ column: Int) {
        switch statement.storageClass(column) {
        case SQLITE_INTEGER: note(statement.integer(column))
        case SQLITE_FLOAT:
            realCount += 1
            let number = statement.real(column)
            reals = reals.map { min($0.lowerBound, number)...max($0.upperBound, number) } ?? number...number
        case SQLITE_TEXT: noteText(statement.textBytes(column))
        case SQLITE_BLOB:
            blobCount += 1
            if statement.byteCount(column) != 1 { areBlobsUUIDs = false }
        default: nullCount += 1
        }
    }

    private mutating func note(_ number: Int64) {
        integerCount += 1
        guard number != 0 else {
            zeroCount += 1
            return
        }
        integers = integers.map { min($0.lowerBound, number)...max($0.upperBound, number) } ?? number...number
        if haveCalendarDigits { haveCalendarDigits = Self.hasCalendarDigits(number) }
    }

    /// Returns whether the digits of a number are those of a date and a time: YYMMDDhhmm, YYMMDDhhmmss,
    /// YYYYMMDDhhmm, or YYYYMMDDhhmmss with hundredths.
    private static func hasCalendarDigits(_ number: Int64) -> Bool {
        func isMinute(_ number: Int64) -> Bool {
            let (minute, hour, day, month) = (
                number % 100, number / 100 % 100, number / 10_000 % 100, number / 1_000_000 % 100
            )
            return minute < 60 && hour < 24 && (1...31).contains(day) && (1...12).contains(month)
        }
        func isSecond(_ number: Int64) -> Bool { number % 100 < 60 && isMinute(number / 100) }
        let years = Int64(1900)...2100
        return switch number {
        case 100_000_000..<10_000_000_000: isMinute(number)
        case 100_000_000_000..<1_000_000_000_000:
            isSecond(number) || isMinute(number) && years.contains(number / 100_000_000)
        case 1_000_000_000_000_000..<10_000_000_000_000_000:
            isSecond(number / 100) && years.contains(number / 1_000_000_000_000)
        default: false
        }
    }

    private mutating func noteText(_ bytes: UnsafeRawBufferPointer) {
        textCount += 1
        if firstText == nil { firstText = String(decoding: bytes, as: UTF8.self) }
        if areTextsUUIDs { areTextsUUIDs = Self.isUUID(bytes) }
        guard mayBeDates else { return }
        let notation = Self.notation(bytes)
        if notation == nil || textCount > 1 && notation != dateNotation {
            mayBeDates = false
            dateNotation = nil
        } else {
            dateNotation = notation
        }
    }

    private static func isUUID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { position, byte in
            [8, 13, 18, 23].contains(position)
                ? byte == UInt8(ascii: "-")
                : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
        }
    }

    private static func notation(_ bytes: UnsafeRawBufferPointer) -> DateNotation? {
        guard bytes.count >= 10, ISO8601Text.seconds(bytes) != nil else { return nil }
        guard bytes.count > 10 else { return .day }
        if bytes[10] == UInt8(ascii: "T") { return .iso8601 }
        // After the day, only a zone contains a letter, a plus or a minus sign.
        let hasZone = bytes.dropFirst(11).contains { "Zz+-".utf8.contains($0) }
        return hasZone ? .dateTimeZone : .dateTime
    }

    /// The number of values other than NULL.
    var count: Int { integerCount + realCount + textCount + blobCount }

    /// Whether all values are integers or NULL, and at least one is an integer.
    var isIntegers: Bool { integerCount > 0 && count == integerCount }

    /// Whether every integer can be a floating-point number.
    var areIntegersExact: Bool {
        let exact = -(Int64(1) << 53)...(Int64(1) << 53)
        return integers.map { exact.contains($0.lowerBound) && exact.contains($0.upperBound) } ?? true
    }

    /// Whether every integer is 0 or 1.
    var isBooleans: Bool { isIntegers && (integers.map { $0 == 1...1 } ?? true) }
}
