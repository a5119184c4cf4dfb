/// A form of texts that mappings and options write as one text, such as a pattern.
protocol WrittenForm: Codable {
    /// Returns the reason why a text is not the text of a form, with an example of one that is.
    static func refusal(of text: String) -> String

    /// Parses the text; nil if it is not the text of a form.
    init?(text: String)

    /// The text of the form.
    var text: String { get }
}

extension WrittenForm {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let form = Self(text: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: Self.refusal(of: text))
        }
        self = form
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
