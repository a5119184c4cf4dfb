import SectionedFetch

/// A condition in its short form: a property, an operator and a value, `year>=1900`, `title^=A`.
///
/// The value is parsed when the attribute's type is known, so that `1900` is a number for one attribute and a
/// text for another.
struct ShortCondition: Hashable, Sendable {
    /// The operators.
    enum Operator: String, CaseIterable, Sendable {
        // Ordered by length: an operator must precede the shorter ones that it begins or ends with.
        case beginsWithIgnoringCase = "~^="
        case containsIgnoringCase = "~*="
        case endsWithIgnoringCase = "~$="
        case equalIgnoringCase = "~="
        case beginsWith = "^="
        case contains = "*="
        case endsWith = "$="
        case notEqual = "!="
        case notEqualInSQL = "<>"
        case equalTwice = "=="
        case lessThanOrEqual = "<="
        case greaterThanOrEqual = ">="
        case equal = "="
        case lessThan = "<"
        case greaterThan = ">"

        /// Whether the operator depends on the order of values.
        var isOfOrder: Bool { rawValue.hasPrefix("<") && self != .notEqualInSQL || rawValue.hasPrefix(">") }

        /// Whether the operator applies only to texts. The predicate language does not have these operators.
        var isOfTexts: Bool {
            switch self {
            case .beginsWith, .contains, .endsWith, .equalIgnoringCase, .beginsWithIgnoringCase,
                .containsIgnoringCase, .endsWithIgnoringCase:
                true
            case .equal, .equalTwice, .notEqual, .notEqualInSQL, .lessThan, .lessThanOrEqual, .greaterThan,
                .greaterThanOrEqual:
                false
            }
        }
    }

    /// The key path as it was written.
    let writtenPath: String
    /// The key path, without quotes.
    private(set) var path: String
    let comparison: Operator
    let literal: String

    /// Reads a condition.
    ///
    /// - Throws: ``SyntaxFailure`` if the text has no operator, or no property before it.
    init(_ text: String) throws(SyntaxFailure) {
        // Compared by code points, so that a combining accent at the start of the value is not joined to the
        // operator.
        let scalars = text.unicodeScalars[...]
        guard let start = Self.firstSign(in: scalars),
            let comparison = Operator.allCases.first(where: {
                scalars[start...].starts(with: $0.rawValue.unicodeScalars)
            })
        else {
            throw SyntaxFailure("“\(text)” has no operator. \(ConditionSyntax.help)")
        }
        let left = Self.trimmed(Substring(scalars[..<start]))
        guard !left.isEmpty else {
            throw SyntaxFailure("“\(text)” has no property before “\(comparison.rawValue)”.")
        }
        writtenPath = left
        path = PropertyNames.unquoted(left)
        self.comparison = comparison
        let rest = scalars[start...].dropFirst(comparison.rawValue.unicodeScalars.count)
        literal = Self.trimmed(Substring(rest))
        if comparison == .equal, let sign = rest.first, let meant = Self.misspelt[sign] {
            throw SyntaxFailure(
                "“\(text)”: unknown operator “=\(sign)”. Write \(left)\(meant.rawValue)…, or \(left)=\"\(literal)\" for a text that begins with “\(sign)”."
            )
        }
    }

    /// The intended operator for each character that is mistakenly written after the equals sign.
    private static let misspelt: [Unicode.Scalar: Operator] = [
        ">": .greaterThanOrEqual, "<": .lessThanOrEqual, "~": .equalIgnoringCase,
    ]

    /// Returns the position of the first character of an operator outside quoted names.
    private static func firstSign(in scalars: Substring.UnicodeScalarView) -> String.Index? {
        var rest = scalars
        while let scalar = rest.first {
            if let name = PropertyNames.quotedName(at: rest) {
                rest = rest[name.source.endIndex...]
            } else if "=<>!^*$~".unicodeScalars.contains(scalar) {
                return rest.startIndex
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    /// Returns the condition on the property that is named as it was written, if only that one exists and not
    /// the one without the number signs.
    func resolved(_ names: PropertyNames) -> Self {
        guard !names.contains(path), names.contains(writtenPath) else { return self }
        var condition = self
        condition.path = writtenPath
        return condition
    }

    private static func trimmed(_ text: Substring) -> String {
        let text = text.unicodeScalars.drop { $0 == " " }
        return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }

    /// Whether the value begins with a double quote and is not one text in quotes: the rest would be lost.
    var hasMisplacedQuotes: Bool {
        guard literal.unicodeScalars.first == "\"" else { return false }
        guard let text = PropertyNames.quotedName(at: ("#" + literal).unicodeScalars[...]) else {
            return true
        }
        return text.source.count != literal.unicodeScalars.count + 1
    }

    /// Returns the error for a string attribute that is compared with a number.
    static func comparisonOfTexts(
        _ path: String, _ comparison: String, _ number: String
    ) -> ObjectStorageError {
        ObjectStorageError(
            .invalidRequest,
            "“\(path)” is a string, and strings are compared as texts, in which “9” follows “10”. Write \(path) \(comparison) \"\(number)\" to compare texts. To compare numbers, import the column into a new store with --type \(path)=double.",
            propertyName: path)
    }

    /// Returns the condition as a predicate on the objects of an entity.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown property, or for a value that is invalid for its type.
    func predicate(
        of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) -> FetchRequest<ManagedObject>.Predicate {
        let property = try KeyPathProperty(path, of: entityName, in: container)
        if comparison.isOfTexts, property.kind != .attribute(.string) {
            throw ObjectStorageError(
                .invalidRequest,
                "“\(path)\(comparison.rawValue)”: only string attributes can be searched or compared without case, and “\(path)” \(property.kind.words).",
                entityName: entityName, propertyName: property.name)
        }
        if comparison.isOfOrder, property.kind == .attribute(.string),
            literal.first?.isASCIIDigitOrSign == true,
            Double(literal) != nil
        {
            throw Self.comparisonOfTexts(path, comparison.rawValue, literal)
        }
        func value() throws(ObjectStorageError) -> StoredValue { try ValueText.value(literal, of: property) }
        func text() -> String { ValueText.unquoted(literal) ?? literal }
        switch comparison {
        case .equal, .equalTwice: return .comparison(path, .equal, try value())
        case .notEqual, .notEqualInSQL: return .comparison(path, .notEqual, try value())
        case .lessThan: return .comparison(path, .lessThan, try value())
        case .lessThanOrEqual: return .comparison(path, .lessThanOrEqual, try value())
        case .greaterThan: return .comparison(path, .greaterThan, try value())
        case .greaterThanOrEqual: return .comparison(path, .greaterThanOrEqual, try value())
        case .equalIgnoringCase: return .comparison(path, .equal, try value(), ignoringCase: true)
        case .beginsWith: return .beginsWith(path, text())
        case .contains: return .contains(path, text())
        case .endsWith: return .endsWith(path, text())
        case .beginsWithIgnoringCase: return .beginsWith(path, text(), ignoringCase: true)
        case .containsIgnoringCase: return .contains(path, text(), ignoringCase: true)
        case .endsWithIgnoringCase: return .endsWith(path, text(), ignoringCase: true)
        }
    }
}

extension Character {
    /// Whether a number can begin with the character.
    fileprivate var isASCIIDigitOrSign: Bool { isASCII && (isNumber || "+-.".contains(self)) }
}
