import Foundation
import ObjectModel
import RequestCompilation

extension ColumnContents {
    /// The attribute that can represent a column.
    struct Inference {
        let type: AttributeType
        var form: ExistingTable.Form?
        /// The reason, if the declared type alone does not determine the attribute's type.
        var note: String?
    }

    /// Returns the attribute that can represent a column with these contents; nil if no attribute can have
    /// its values.
    func inference(for column: SurveyedSchema.Column) -> Inference? {
        guard count > 0 else { return inferenceWithoutValues(declared: column.type) }
        guard blobCount == 0 || blobCount == count else { return nil }
        if blobCount > 0 {
            if areBlobsUUIDs, Self.isUUID(declared: column.type) { return Inference(type: .uuid) }
            return Inference(type: .binaryData, note: Self.note("bytes", unless: Self.isBlob(column.type)))
        }
        if textCount == count { return inferenceFromTexts(column) }
        if textCount > 0 {
            return Inference(
                type: .string, form: .numberOrText,
                note: "texts, of which \(integerCount + realCount) of \(count) are stored as numbers")
        }
        if let date = dateInference(column) { return date }
        if realCount > 0 { return inferenceFromReals(column) }
        if isBooleans, column.type.contains("BOOL") { return Inference(type: .boolean) }
        if Self.isFloatingPoint(column.type), areIntegersExact { return Inference(type: .double) }
        return Inference(
            type: .integer64, note: Self.note("integers", unless: Self.isNumeric(column.type)))
    }

    private func inferenceWithoutValues(declared type: String) -> Inference {
        if type.contains("BOOL") { return Inference(type: .boolean) }
        if Self.isUUID(declared: type) { return Inference(type: .string, form: .numberOrText) }
        if type.contains("INT") { return Inference(type: .integer64) }
        if Self.isText(type) { return Inference(type: .string) }
        if Self.isFloatingPoint(type), !type.contains("DATE"), !type.contains("TIME") {
            return Inference(type: .double)
        }
        if type.contains("BLOB") { return Inference(type: .binaryData) }
        return Inference(
            type: .string, form: .numberOrText, note: "texts, because no value shows how the column is used")
    }

    private func inferenceFromTexts(_ column: SurveyedSchema.Column) -> Inference {
        if areTextsUUIDs, Self.isUUID(declared: column.type) {
            return Inference(type: .uuid, form: .uuidText)
        }
        if let dateNotation {
            let form: ExistingTable.Form =
                switch dateNotation {
                case .day: .dayText
                case .dateTime: .dateTimeText
                case .dateTimeZone: .dateTimeZoneText
                case .iso8601: .iso8601Text
                }
            let zone = dateNotation == .day || dateNotation == .dateTime ? ", read as UTC" : ""
            return Inference(
                type: .date, form: form,
                note: count == 1
                    ? "a date, because the only value is the text “\(firstText ?? "")”\(zone)"
                    : "dates, because all \(count) values are texts such as “\(firstText ?? "")”\(zone)")
        }
        return Inference(type: .string, note: Self.note("texts", unless: Self.isText(column.type)))
    }

    private func inferenceFromReals(_ column: SurveyedSchema.Column) -> Inference {
        guard areIntegersExact else {
            return Inference(
                type: .string, form: .numberOrText,
                note: "texts, because some integers have more digits than a floating-point number")
        }
        return Inference(
            type: .double, note: Self.note("numbers", unless: Self.isFloatingPoint(column.type)))
    }

    private static func note(_ kind: String, unless isDeclared: Bool) -> String? {
        isDeclared ? nil : "\(kind), by the values"
    }

    // The rules of "Datatypes In SQLite", section 3.1, and the names of types that programs use.

    private static func isText(_ type: String) -> Bool {
        ["CHAR", "CLOB", "TEXT", "STRING", "JSON", "ENUM"].contains { type.contains($0) }
    }

    private static func isBlob(_ type: String) -> Bool { type.contains("BLOB") || type.contains("BINARY") }

    private static func isFloatingPoint(_ type: String) -> Bool {
        ["REAL", "FLOA", "DOUB", "DEC", "NUM", "MONEY"].contains { type.contains($0) }
            && !type.contains("INT")
    }

    private static func isNumeric(_ type: String) -> Bool {
        isFloatingPoint(type)
            || ["INT", "BOOL", "DATE", "TIME", "YEAR", "LONG"].contains { type.contains($0) }
    }

    private static func isUUID(declared type: String) -> Bool {
        type.contains("UUID") || type.contains("GUID") || type.contains("UNIQUEIDENTIFIER")
    }
}

/// Dates as numbers.
extension ColumnContents {
    /// The seconds since 1970 for the years 1973 to 2100, a range in which other quantities are rare.
    private static let plausibleSeconds: ClosedRange<Int64> = 100_000_000...4_102_444_800
    /// The seconds from 1601-01-01 to 1970-01-01.
    private static let secondsBefore1970: Int64 = 134_774 * 86_400
    /// The smallest number of values other than zero that count as dates in microseconds even if neither the
    /// name nor the type suggests dates.
    private static let telling = 10

    /// Returns the inference for numbers that are all dates; nil for others.
    ///
    /// Seconds and milliseconds are dates only if the column's name or type suggests dates. Zero, which some
    /// programs store for a missing date, may occur beside dates.
    private func dateInference(_ column: SurveyedSchema.Column) -> Inference? {
        let isSuggested = Self.suggestsDate(column)
        guard let integers, realCount == 0 else {
            guard isSuggested, integers == nil, let reals,
                Double(Self.plausibleSeconds.lowerBound) <= reals.lowerBound,
                reals.upperBound <= Double(Self.plausibleSeconds.upperBound)
            else { return nil }
            // Counted since 1970, all of these dates would be before 2001.
            return reals.upperBound < Date.timeIntervalBetween1970AndReferenceDate
                ? date(nil, "seconds since 2001") : date(.unixSeconds, "seconds since 1970")
        }
        guard !areCalendarDigits(integers) else { return nil }
        func isWithin(_ scale: Int64, since origin: Int64 = 0) -> Bool {
            let bounds = Self.plausibleSeconds
            return (bounds.lowerBound + origin) * scale <= integers.lowerBound
                && integers.upperBound <= (bounds.upperBound + origin) * scale
        }
        let isTelling = isSuggested || integerCount - zeroCount >= Self.telling
        if isTelling, isWithin(1_000_000, since: Self.secondsBefore1970) {
            return date(.microsecondsSince1601, "microseconds since 1601")
        }
        if isTelling, isWithin(1_000_000) { return date(.unixMicroseconds, "microseconds since 1970") }
        guard isSuggested else { return nil }
        if isWithin(1_000) { return date(.unixMilliseconds, "milliseconds since 1970") }
        return isWithin(1) ? date(.unixSeconds, "seconds since 1970") : nil
    }

    /// Returns whether the integers are the digits of dates, such as 202301151230, and not numbers of
    /// seconds. One such number can also be a number of seconds before 2033 by chance.
    private func areCalendarDigits(_ integers: ClosedRange<Int64>) -> Bool {
        haveCalendarDigits
            && (integers.lowerBound < integers.upperBound || integers.lowerBound >= 2_000_000_000)
    }

    private func date(_ form: ExistingTable.Form?, _ unit: String) -> Inference {
        let zeros = zeroCount == 0 ? "" : ", or 0"
        return Inference(
            type: .date, form: form,
            note: count == 1
                ? "a date, because the only value is a number of \(unit)"
                : "dates, because all \(count) values are \(unit)\(zeros)")
    }

    private static let dateWords: Set<String> = [
        "date", "time", "datetime", "timestamp", "created", "updated", "modified", "added", "deleted",
        "published", "expires", "expiry", "expiration", "birthday", "born", "since", "until", "when",
    ]
    /// Words that suggest a date at the end of a name, as in “created_on”.
    private static let lastDateWords: Set<String> = ["at", "on"]

    private static func suggestsDate(_ column: SurveyedSchema.Column) -> Bool {
        if column.type.contains("DATE") || column.type.contains("TIME") { return true }
        let words = SurveyedName.words(of: column.name)
        return words.contains { dateWords.contains($0) }
            || words.last.map(lastDateWords.contains) == true
    }
}
