import Foundation

/// A condition that a value must fulfil, in addition to having its attribute's type, before its object is
/// saved. A missing value fulfils every rule.
public enum ValidationRule: Hashable, Sendable {
    /// A number or a date is not smaller than the bound, a text has at least that many characters, or data
    /// has at least that many bytes.
    case minimum(StoredValue)
    /// A number or a date is not larger than the bound, a text has at most that many characters, or data has
    /// at most that many bytes.
    case maximum(StoredValue)
    /// A text matches a regular expression as a whole.
    case pattern(String)

    /// Returns whether a value of an attribute type fulfils the rule.
    package func holds(for value: StoredValue, of type: AttributeType) -> Bool {
        switch self {
        case .minimum(let bound):
            Self.compare(value, bound, of: type).map { $0 != .orderedAscending } ?? true
        case .maximum(let bound):
            Self.compare(value, bound, of: type).map { $0 != .orderedDescending } ?? true
        case .pattern(let pattern):
            if case .text(let text) = value {
                text.range(of: "^(?:\(pattern))$", options: .regularExpression) == text
                    .startIndex..<text.endIndex
            } else {
                true
            }
        }
    }

    /// The kinds of values to which rules apply, for error messages.
    package static let remedy =
        "A pattern applies to texts. A bound is a number: for dates seconds since 2001, for texts and bytes a length; for decimals it may also be the text of a number."

    /// Returns whether the rule can apply to values of a type.
    package func applies(to type: AttributeType) -> Bool {
        switch self {
        case .pattern: [.string, .uri].contains(type)
        case .minimum(let bound), .maximum(let bound):
            switch (type, bound) {
            case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer), (.integer16, .real),
                (.integer32, .real), (.integer64, .real), (.boolean, .integer), (.double, .integer),
                (.double, .real), (.float, .integer), (.float, .real), (.date, .integer), (.date, .real),
                (.string, .integer), (.uri, .integer), (.binaryData, .integer), (.uuid, .integer),
                (.transformable, .integer):
                true
            case (.decimal, _): DecimalNumber(bound) != nil
            default: false
            }
        }
    }

    /// Compares a value with a bound; nil if the two are not comparable.
    private static func compare(
        _ value: StoredValue, _ bound: StoredValue, of type: AttributeType
    ) -> ComparisonResult? {
        switch (value, bound) {
        case (.real(let number), _) where number.isNaN, (_, .real(let number)) where number.isNaN: nil
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real):
            // Compares without rounding: not every integer has an exact floating-point representation of 64
            // bits.
            order(value.compare(to: bound), 0)
        case (.text(let value), _) where type == .decimal:
            DecimalNumber(value).flatMap { value in
                DecimalNumber(bound).map { order(value, $0) }
            }
        case (.text(let value), .integer(let bound)): order(Int64(value.count), bound)
        case (.blob(let value), .integer(let bound)): order(Int64(value.count), bound)
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ first: Value, _ second: Value) -> ComparisonResult {
        first < second ? .orderedAscending : first > second ? .orderedDescending : .orderedSame
    }
}

extension ValidationRule {
    /// Returns the rule for values of a type, as the end of “the value must …”. The bound is a number of
    /// characters for text, a number of bytes for bytes, and a date for dates.
    package func requirement(of type: AttributeType) -> String {
        let bound: (word: String, value: StoredValue)
        switch self {
        case .minimum(let value): bound = ("least", value)
        case .maximum(let value): bound = ("most", value)
        case .pattern: return description
        }
        let one = bound.value == .integer(1)
        switch type {
        case .string, .uri: return "have at \(bound.word) \(bound.value) character\(one ? "" : "s")"
        case .binaryData, .uuid, .transformable:
            return "have at \(bound.word) \(bound.value) byte\(one ? "" : "s")"
        case .date:
            let seconds: Double? =
                switch bound.value {
                case .integer(let seconds): Double(seconds)
                case .real(let seconds): seconds
                default: nil
                }
            guard let seconds else { return description }
            return "be at \(bound.word) \(Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601))"
        default: return description
        }
    }
}

extension ValidationRule: CustomStringConvertible {
    /// The rule as the end of “the value must …”.
    public var description: String {
        switch self {
        case .minimum(let bound): "be at least \(bound)"
        case .maximum(let bound): "be at most \(bound)"
        case .pattern(let pattern): "match “\(pattern)”"
        }
    }
}

extension ValidationRule: Codable {
    private enum CodingKeys: String, CodingKey { case minimum, maximum, pattern }

    /// Reads a rule from a single-keyed object: `{"minimum": 0}`.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for an object without one of the keys `minimum`, `maximum` and `pattern`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let bound = try container.decodeIfPresent(StoredValue.self, forKey: .minimum) {
            self = .minimum(bound)
        } else if let bound = try container.decodeIfPresent(StoredValue.self, forKey: .maximum) {
            self = .maximum(bound)
        } else {
            self = .pattern(try container.decode(String.self, forKey: .pattern))
        }
    }

    /// Writes the rule as a single-keyed object.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .minimum(let bound): try container.encode(bound, forKey: .minimum)
        case .maximum(let bound): try container.encode(bound, forKey: .maximum)
        case .pattern(let pattern): try container.encode(pattern, forKey: .pattern)
        }
    }
}
