package import ObjectModel

/// An expression that has a value for each object: one side of a comparison.
package indirect enum PredicateExpression: Hashable, Sendable {
    /// A known value. Dates are seconds since 2001, UUIDs their bytes.
    case constant(StoredValue)
    /// A known object; its value is its key.
    case object(ObjectID)
    /// A list of expressions, for ``PredicateTree/Relation/isIn`` and ``PredicateTree/Relation/between``.
    case list([PredicateExpression])
    /// The value at a dotted key path.
    case keyPath(Path)
    /// A variable that ``PredicateTree/substituting(_:)`` replaces by a value.
    case variable(String)
    /// A sum, difference, product or quotient, as SQLite computes it.
    case arithmetic(Operator, PredicateExpression, PredicateExpression)
    /// A value computed from another.
    case function(Function, PredicateExpression)
    /// The number of objects in a collection, or a value computed from values of all of them.
    case aggregate(Aggregate, Collection)
}

extension PredicateExpression {
    /// A dotted key path and its start.
    package struct Path: Hashable, Sendable {
        /// The variable of a `SUBQUERY` from which the path starts; nil for the object of the whole
        /// predicate.
        package var variable: String?
        /// The names, separated by full stops. `objectID` is the object itself.
        package var names: String

        /// Creates a key path from the object itself, or from a subquery's variable.
        package init(_ names: String, from variable: String? = nil) {
            self.names = names
            self.variable = variable
        }
    }

    /// The arithmetic operators.
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        /// The sum, difference or product of two numbers.
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        /// The quotient of two numbers, without its fraction for two integers; null for a division by zero.
        case divide = "/"
    }

    /// The functions of one value.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// The text in lower case, independent of locale.
        case lowercase
        /// The text in upper case, independent of locale.
        case uppercase
        /// The absolute value of a number.
        case absolute = "abs"
    }

    /// The values that are computed from many objects.
    package enum Aggregate: Hashable, Sendable {
        /// The number of objects.
        case count
        /// The sum of an attribute's values; 0 for no objects.
        case sum(String)
        /// The average of an attribute's values; null for no objects.
        case average(String)
        /// The smallest of an attribute's values; null for no objects.
        case minimum(String)
        /// The largest of an attribute's values; null for no objects.
        case maximum(String)
    }

    /// The objects to which a key path through to-many relationships leads.
    package struct Collection: Hashable, Sendable {
        /// The key path.
        package var path: Path
        /// The filter that selects some of the objects; nil for all.
        package var filter: Filter?

        /// Creates a collection of the objects at the end of a key path.
        package init(_ path: Path, filter: Filter? = nil) {
            self.path = path
            self.filter = filter
        }
    }

    /// The condition of a `SUBQUERY`.
    package struct Filter: Hashable, Sendable {
        /// The variable that represents each object, without its dollar sign.
        package var variable: String
        /// The predicate that an object must fulfil.
        package var predicate: PredicateTree

        /// Creates a filter.
        package init(_ variable: String, _ predicate: PredicateTree) {
            self.variable = variable
            self.predicate = predicate
        }
    }
}

extension PredicateExpression {
    /// Returns the value at a dotted key path from the object itself.
    package static func path(_ names: String) -> PredicateExpression { .keyPath(Path(names)) }

    /// Returns a known value. Not-a-number becomes null, as in SQLite.
    package static func value(_ value: StoredValue) -> PredicateExpression {
        if case .real(let number) = value, number.isNaN { return .constant(.null) }
        return .constant(value)
    }
}

extension PredicateExpression.Aggregate {
    /// The attribute whose values are aggregated; nil for a count of objects.
    package var attributePath: String? {
        switch self {
        case .count: nil
        case .sum(let path), .average(let path), .minimum(let path), .maximum(let path): path
        }
    }

    /// The aggregate's name in the format language, without the at sign.
    package var word: String {
        switch self {
        case .count: "count"
        case .sum: "sum"
        case .average: "avg"
        case .minimum: "min"
        case .maximum: "max"
        }
    }

    /// Creates the aggregate of an attribute's values that has a name; nil for an unknown name.
    package init?(word: String, attributePath: String) {
        switch word {
        case "sum": self = .sum(attributePath)
        case "avg": self = .average(attributePath)
        case "min": self = .minimum(attributePath)
        case "max": self = .maximum(attributePath)
        default: return nil
        }
    }
}
