package import SectionedFetch

/// A condition as it is written on the command line: `year>=1900`, `title^=A`, `artist.name=nil`.
///
/// The value is parsed when the attribute's type is known, so that `1900` is a number for one attribute and a
/// text for another.
package struct ConditionSyntax: Hashable, Sendable {
    /// The syntax of conditions, for `--help`.
    package static let help =
        "PROPERTY, an operator, and a value. The operators are = != (or <>) < <= > >= and, for texts, ^= (begins with), *= (contains) and $= (ends with); a ~ before = ^= *= or $= ignores case. The value nil means no value. Quote the text “\"nil\"”, and texts that begin with a character of an operator. Dates are written 2024-03-01 or 2024-03-01T12:00:00Z."

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

        /// Whether the operator applies only to texts.
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

    let path: String
    let comparison: Operator
    let literal: String

    /// Reads a condition.
    ///
    /// - Throws: ``SyntaxFailure`` if the text has no operator, or no property before it.
    package init(_ text: String) throws(SyntaxFailure) {
        // Compared by code points, so that a combining accent at the start of the value is not joined to the
        // operator.
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { "=<>!^*$~".unicodeScalars.contains($0) }),
            let comparison = Operator.allCases.first(where: {
                scalars[start...].starts(with: $0.rawValue.unicodeScalars)
            })
        else {
            throw SyntaxFailure("“\(text)” has no operator. \(Self.help)")
        }
        path = Self.trimmed(Substring(scalars[..<start]))
        guard !path.isEmpty else {
            throw SyntaxFailure("“\(text)” has no property before “\(comparison.rawValue)”.")
        }
        self.comparison = comparison
        let rest = scalars[start...].dropFirst(comparison.rawValue.unicodeScalars.count)
        literal = Self.trimmed(Substring(rest))
        if comparison == .equal, let sign = rest.first, let meant = Self.misspelt[sign] {
            throw SyntaxFailure(
                "“\(text)”: unknown operator “=\(sign)”. Write \(path)\(meant.rawValue)…, or \(path)=\"\(literal)\" for a text that begins with “\(sign)”."
            )
        }
    }

    /// The intended operator for each character that is mistakenly written after the equals sign.
    private static let misspelt: [Unicode.Scalar: Operator] = [
        ">": .greaterThanOrEqual, "<": .lessThanOrEqual, "~": .equalIgnoringCase,
    ]

    private static func trimmed(_ text: Substring) -> String {
        let text = text.unicodeScalars.drop { $0 == " " }
        return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }

    /// Returns the condition as a predicate on the objects of an entity.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown property, or for a value that is invalid for its type.
    package func predicate(
        of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) -> FetchRequest<ManagedObject>.Predicate {
        let property = try KeyPathProperty(path, of: entityName, in: container)
        if comparison.isOfTexts, property.kind != .attribute(.string) {
            throw ObjectStorageError(
                .invalidRequest,
                "“\(path)\(comparison.rawValue)”: only string attributes can be searched or compared without case, and “\(path)” \(property.kind.words).",
                entityName: entityName, propertyName: property.name)
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
