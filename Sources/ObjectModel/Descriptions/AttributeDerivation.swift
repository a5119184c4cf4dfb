import InternalUtilities

/// The rule by which the store computes a derived attribute, with every save and batch that changes its
/// sources.
///
/// The text is that of Core Data's `derivationExpression`:
///
/// | expression | value |
/// |---|---|
/// | `canonical:(title)` | the text without case and marks, as `[cd]` compares it |
/// | `uppercase:(title)`, `lowercase:(title)` | the text in upper or lower case |
/// | `artist.name`, `lowercase:(artist.name)` | an attribute at the end of to-one relationships |
/// | `items.@count` | the number of related objects |
/// | `items.@sum.price`, also `@min`, `@max`, `@avg` | an aggregate of an attribute of related objects |
/// | `now()` | the time of the last save that changed the object |
public struct AttributeDerivation: Hashable, Sendable {
    /// A transformation of a text.
    package enum Transformation: String, Hashable, Sendable, CaseIterable {
        case canonical, uppercase, lowercase
    }

    /// A function of the values of related objects.
    package enum Aggregate: String, Hashable, Sendable, CaseIterable {
        case sum, min, max
        case average = "avg"
    }

    /// The computation.
    package indirect enum Source: Hashable, Sendable {
        case now
        /// An attribute at the end of a path of to-one relationships, which may be empty.
        case value(path: [String], attribute: String, Transformation?)
        case count(relationship: String)
        case aggregate(Aggregate, attribute: String, relationship: String)
    }

    /// The computation.
    package let source: Source

    /// Reads an expression.
    ///
    /// - Parameter expression: The text of an expression, as in the table of ``AttributeDerivation``.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for an expression that
    ///   the store cannot compute.
    public init(_ expression: String) throws(ObjectStorageError) {
        guard let source = Self.source(Self.trimmed(expression[...])) else {
            throw ObjectStorageError(
                .invalidModel,
                "“\(expression)” is not a derivation that the store computes. Use canonical:, uppercase: or lowercase: of a text, a path of to-one relationships to an attribute, @count, or @sum, @min, @max or @avg of an attribute of related objects, or now()."
            )
        }
        self.source = source
    }

    /// The expression in its shortest form.
    public var expression: String {
        switch source {
        case .now: return "now()"
        case .value(let path, let attribute, let transformation):
            let value = (path + [attribute]).joined(separator: ".")
            return transformation.map { "\($0.rawValue):(\(value))" } ?? value
        case .count(let relationship): return "\(relationship).@count"
        case .aggregate(let aggregate, let attribute, let relationship):
            return "\(relationship).@\(aggregate.rawValue).\(attribute)"
        }
    }

    private static func source(_ text: String) -> Source? {
        if ["now()", "now:()"].contains(text.filter { !$0.isWhitespace }) { return .now }
        if let colon = text.firstIndex(of: ":") {
            // `count:(items)` is the form in which Core Data stores models made in code.
            let argument = trimmed(text[text.index(after: colon)...])
            guard argument.first == "(", argument.last == ")", argument.count > 2 else { return nil }
            let path = trimmed(argument.dropFirst().dropLast())
            let function = trimmed(text[..<colon])
            if function == "count" { return Self.source(path + ".@count") }
            guard let transformation = Transformation(rawValue: function),
                case .value(let path, let attribute, nil)? = value(path)
            else { return nil }
            return .value(path: path, attribute: attribute, transformation)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(trimmed)
        guard let operation = parts.firstIndex(where: { $0.hasPrefix("@") }) else { return value(text) }
        guard operation == 1, isName(parts[0]) else { return nil }
        if parts[1] == "@count" { return parts.count == 2 ? .count(relationship: parts[0]) : nil }
        guard parts.count == 3, isName(parts[2]),
            let aggregate = Aggregate(rawValue: parts[1] == "@average" ? "avg" : String(parts[1].dropFirst()))
        else { return nil }
        return .aggregate(aggregate, attribute: parts[2], relationship: parts[0])
    }

    private static func value(_ text: String) -> Source? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(trimmed)
        guard let attribute = parts.last, parts.allSatisfy(isName) else { return nil }
        return .value(path: Array(parts.dropLast()), attribute: attribute, nil)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.contains { "@()+-*/\"'$,:{}[]".contains($0) }
    }
}

extension AttributeDerivation: ExpressibleByStringLiteral {
    /// Reads an expression in a program. An expression that ``init(_:)`` refuses is a programming error and
    /// traps.
    ///
    /// - Parameter expression: The text of the expression.
    public init(stringLiteral expression: String) {
        do {
            try self.init(expression)
        } catch {
            preconditionFailure(error.message)
        }
    }
}

extension AttributeDerivation: CustomStringConvertible {
    /// The expression.
    public var description: String { expression }
}

extension AttributeDerivation: Codable {
    /// Reads the expression.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for an expression that ``init(_:)`` refuses.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message))
        }
    }

    /// Writes the expression.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(expression)
    }
}
