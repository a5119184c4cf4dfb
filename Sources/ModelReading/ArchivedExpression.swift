import ObjectStorage

/// The text of archived predicates and expressions, in the predicate format language.
struct ArchivedExpression {
    /// The number of parts that may still be written; an ellipsis replaces all others. Parts can contain each
    /// other, so the text of a small archive could be endless.
    private var budget = 200

    /// Returns the text of a predicate or an expression.
    static func text(of value: ArchivedValue?) -> String {
        guard let value else { return "nil" }
        var writer = Self()
        return writer.text(value)
    }

    private mutating func text(_ value: ArchivedValue) -> String {
        budget -= 1
        guard budget > 0 else { return "…" }
        switch value.className {
        case "NSComparisonPredicate": return comparison(value)
        case "NSCompoundPredicate":
            let parts = (value["NSSubpredicates"]?.items ?? []).map { text($0) }
            switch value["NSCompoundPredicateType"]?.integer {
            case 0: return "NOT (\(parts.first ?? ""))"
            case 2: return parts.map { "(\($0))" }.joined(separator: " OR ")
            default: return parts.map { "(\($0))" }.joined(separator: " AND ")
            }
        case "NSTruePredicate": return "TRUEPREDICATE"
        case "NSFalsePredicate": return "FALSEPREDICATE"
        case "NSSelfExpression": return "SELF"
        case "NSVariableExpression": return "$" + (value["NSVariable"]?.text ?? "")
        case "NSKeyPathSpecifierExpression": return value["NSKeyPath"]?.text ?? ""
        case "NSKeyPathExpression", "NSFunctionExpression": return function(value)
        case "NSConstantValueExpression": return value["NSConstantValue"].map { constant($0) } ?? "nil"
        case "NSAggregateExpression":
            return "{" + (value["NSCollection"]?.items ?? []).map { text($0) }.joined(separator: ", ") + "}"
        case "NSExpressionDescription":
            return value["NSExpression"].map { text($0) } ?? "an expression"
        case let name?: return "an object of the class \(name)"
        case nil: return constant(value)
        }
    }

    private mutating func constant(_ value: ArchivedValue) -> String {
        switch value.object {
        case .text(let text): return "\"\(text)\""
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .boolean(let flag): return flag ? "YES" : "NO"
        case .null: return "nil"
        default:
            if let text = value.text { return "\"\(text)\"" }
            let items = value.items.prefix(20)
            return items.isEmpty ? "a constant" : "{" + items.map { text($0) }.joined(separator: ", ") + "}"
        }
    }

    /// Returns the text of a function, or of a key path, which is archived as a function of an operand:
    /// `valueForKeyPath:` of SELF.
    private mutating func function(_ value: ArchivedValue) -> String {
        let selector = value["NSSelectorName"]?.text ?? ""
        let arguments = (value["NSArguments"]?.items ?? []).map { text($0) }
        guard selector == "valueForKey:" || selector == "valueForKeyPath:" else {
            return "\(selector)(\(arguments.joined(separator: ", ")))"
        }
        let operand = value["NSOperand"].map { text($0) } ?? "SELF"
        let path = arguments.first ?? ""
        return operand == "SELF" ? path : "\(operand).\(path)"
    }

    private mutating func comparison(_ value: ArchivedValue) -> String {
        let signs = [
            "<", "<=", ">", ">=", "==", "!=", "MATCHES", "LIKE", "BEGINSWITH", "ENDSWITH", "IN",
        ]
        let kind = value["NSPredicateOperator"]?["NSOperatorType"]?.integer ?? 4
        let sign =
            Int(exactly: kind).flatMap { signs.indices.contains($0) ? signs[$0] : nil }
            ?? [99: "CONTAINS", 100: "BETWEEN"][kind] ?? "?"
        let options = value["NSPredicateOperator"]?["NSOptions"]?.integer ?? 0
        let marks = [options & 1 != 0 ? "c" : "", options & 2 != 0 ? "d" : ""].joined()
        let left = value["NSLeftExpression"].map { text($0) } ?? "nil"
        let right = value["NSRightExpression"].map { text($0) } ?? "nil"
        return "\(left) \(sign)\(marks.isEmpty ? "" : "[\(marks)]") \(right)"
    }
}
