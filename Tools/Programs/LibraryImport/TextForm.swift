import SectionedFetch

/// The way in which the texts of a column write values, if it differs from the texts of the attribute's type:
/// with a decimal comma, for example.
struct TextForm: Codable, Equatable, Sendable {
    /// The words that mean no value.
    var noValue: [String]?
    /// Whether blanks at both ends are removed.
    var isTrimmed: Bool?
    /// Whether texts such as `="0123"`, with which spreadsheets keep digits as text, lose the sign and the
    /// quotes.
    var isUnquoted: Bool?
    /// The number 1234.5, or 1234, as the column writes it.
    var number: NumberForm?
    /// The pattern of the dates.
    var date: DateForm?
    /// The words for true and for false.
    var boolean: BooleanForm?
    /// Whether a number keeps a text that is an equal number, as 4.0 keeps 4.00.
    var isByValue: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case noValue
        case isTrimmed = "trimmed"
        case isUnquoted = "unquoted"
        case number, date, boolean
        case isByValue = "byValue"
    }

    /// Whether the texts are those of the attribute's type.
    var isPlain: Bool { self == TextForm() }

    /// Returns this form with the parts of another one, which was found in texts that this form gives.
    func adding(_ other: TextForm) -> TextForm {
        TextForm(
            noValue: noValue == nil && other.noValue == nil ? nil : (noValue ?? []) + (other.noValue ?? []),
            isTrimmed: other.isTrimmed ?? isTrimmed, isUnquoted: other.isUnquoted ?? isUnquoted,
            number: other.number ?? number, date: other.date ?? date, boolean: other.boolean ?? boolean,
            isByValue: other.isByValue ?? isByValue)
    }
}

/// The words of a column for true and for false.
struct BooleanForm: Codable, Equatable, Sendable {
    let yes: String
    let no: String

    enum CodingKeys: String, CodingKey {
        case yes = "true"
        case no = "false"
    }
}
