import ObjectModel

extension PredicateTree {
    /// The predicate in the format language, in its canonical form: parsing it gives an equal tree.
    package var format: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateExpression {
    /// The expression in the format language.
    package var format: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

/// A writer of trees in the format language.
private struct PredicateWriter {
    private(set) var text = ""

    mutating func write(_ tree: PredicateTree) {
        switch tree {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): write(comparison)
        case .and(let parts): write(parts, " AND ")
        case .or(let parts): write(parts, " OR ")
        case .not(let part):
            // An unnecessary parenthesis would count as a nesting level in the parser.
            text += "NOT "
            write([part], "")
        }
    }

    private mutating func write(_ parts: [PredicateTree], _ word: String) {
        for (position, part) in parts.enumerated() {
            if position > 0 { text += word }
            switch part {
            case .and, .or:
                text += "("
                write(part)
                text += ")"
            default: write(part)
            }
        }
    }

    private mutating func write(_ comparison: PredicateTree.Comparison) {
        if let quantifier = comparison.quantifier { text += quantifier.rawValue.uppercased() + " " }
        write(comparison.left)
        text += " " + comparison.relation.symbol
        if !comparison.options.isEmpty {
            text += "["
            if comparison.options.contains(.ignoringCase) { text += "c" }
            if comparison.options.contains(.ignoringDiacritics) { text += "d" }
            text += "]"
        }
        text += " "
        write(comparison.right)
    }

    mutating func write(_ expression: PredicateExpression) {
        switch expression {
        case .constant(let value): text += value.predicateLiteral
        case .object(let objectID): text += objectID.predicateLiteral
        case .list(let elements):
            text += "{"
            for (position, element) in elements.enumerated() {
                if position > 0 { text += ", " }
                write(element)
            }
            text += "}"
        case .keyPath(let path): write(path)
        case .variable(let name): text += "$" + name
        case .arithmetic(let arithmetic, let left, let right):
            writeOperand(left)
            text += " \(arithmetic.rawValue) "
            writeOperand(right)
        case .function(let function, let argument):
            text += function.rawValue + ":("
            write(argument)
            text += ")"
        case .aggregate(let aggregate, let collection): write(aggregate, of: collection)
        }
    }

    private mutating func writeOperand(_ expression: PredicateExpression) {
        guard case .arithmetic = expression else { return write(expression) }
        text += "("
        write(expression)
        text += ")"
    }

    private mutating func write(_ path: PredicateExpression.Path) {
        if let variable = path.variable {
            text += "$" + variable
            // The variable alone represents the object itself.
            if path.names != "objectID" {
                text += "." + PredicateName.written(path: path.names, isFirst: false)
            }
        } else {
            text += PredicateName.written(path: path.names, isFirst: true)
        }
    }

    private mutating func write(
        _ aggregate: PredicateExpression.Aggregate, of collection: PredicateExpression.Collection
    ) {
        if let filter = collection.filter {
            text += "SUBQUERY("
            write(collection.path)
            text += ", $\(filter.variable), "
            write(filter.predicate)
            text += ")"
        } else {
            write(collection.path)
        }
        text += ".@" + aggregate.word
        if let path = aggregate.attributePath {
            text += "." + PredicateName.written(path: path, isFirst: false)
        }
    }
}

extension PredicateTree.Relation {
    /// The operator in the format language.
    package var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .beginsWith: "BEGINSWITH"
        case .contains: "CONTAINS"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .isIn: "IN"
        case .between: "BETWEEN"
        }
    }
}
