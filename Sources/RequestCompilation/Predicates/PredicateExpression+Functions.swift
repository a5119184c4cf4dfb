package import ObjectModel

extension PredicateExpression.Function {
    /// Returns the function's value for an argument; null for an argument of another storage class.
    ///
    /// The SQL functions call this function as well.
    package func value(of argument: StoredValue) -> StoredValue {
        switch (self, argument) {
        case (.lowercase, .text(let text)): .text(text.lowercased())
        case (.uppercase, .text(let text)): .text(text.uppercased())
        case (.absolute, _): argument.absoluteValue
        default: .null
        }
    }
}

extension PredicateExpression.Aggregate {
    /// Returns the aggregate of an attribute's values.
    package func value(of values: [StoredValue]) -> StoredValue {
        switch self {
        case .count: return .integer(Int64(values.count))
        case .sum, .average:
            var sum = NumberSum()
            for value in values { sum.add(value) }
            if case .average = self { return sum.mean }
            return sum.sum
        case .minimum: return values.filter { !$0.isNull }.min { $0.compare(to: $1) < 0 } ?? .null
        case .maximum: return values.filter { !$0.isNull }.max { $0.compare(to: $1) < 0 } ?? .null
        }
    }
}
