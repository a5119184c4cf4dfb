/// Something that has a value for each object: one side of a comparison.
package indirect enum PredicateExpression: Hashable, Sendable {
    /// A value that is known beforehand. Dates are their seconds since 2001, UUIDs their bytes.
    case constant(StoredValue)
    /// An object that is known beforehand; its value is its key.
    case object(ObjectID)
    /// Some expressions, for ``PredicateTree/Relation/isIn`` and ``PredicateTree/Relation/between``.
    case list([PredicateExpression])
    /// The value at a dotted key path.
    case keyPath(Path)
    /// A value that ``PredicateTree/substituting(_:)`` is to put here.
    case variable(String)
    /// A sum, difference, product or quotient, as SQLite computes them.
    case arithmetic(Operator, PredicateExpression, PredicateExpression)
    /// A value computed from another.
    case function(Function, PredicateExpression)
    /// A number of objects, or a value computed from the values of many.
    case aggregate(Aggregate, Collection)
}

extension PredicateExpression {
    /// A dotted key path and where it begins.
    package struct Path: Hashable, Sendable {
        /// The variable of a `SUBQUERY` at which the path begins; nil for the object that the whole predicate
        /// is about.
        package var variable: String?
        /// The names with full stops between them. `objectID` is the object itself.
        package var names: String

        /// A key path from the object itself, or from a subquery's variable.
        package init(_ names: String, from variable: String? = nil) {
            self.names = names
            self.variable = variable
        }
    }

    /// What can be computed from two numbers.
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        /// Of two integers the quotient without its fraction; by zero, no value.
        case divide = "/"
    }

    /// What can be computed from one value.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// The text in lower case, under no locale.
        case lowercase
        /// The text in upper case, under no locale.
        case uppercase
        /// The number without its sign.
        case absolute = "abs"
    }

    /// What can be computed from many objects.
    package enum Aggregate: Hashable, Sendable {
        /// How many there are.
        case count
        /// The sum of an attribute's values; of none, 0.
        case sum(String)
        /// The mean of an attribute's values; of none, no value.
        case average(String)
        /// The smallest of an attribute's values; of none, no value.
        case minimum(String)
        /// The greatest of an attribute's values; of none, no value.
        case maximum(String)
    }

    /// The objects that a key path through to-many relationships leads to.
    package struct Collection: Hashable, Sendable {
        /// The key path.
        package var path: Path
        /// Which of them, under the name that the filter gives each; all if nil.
        package var filter: Filter?

        /// The objects at the end of a key path.
        package init(_ path: Path, filter: Filter? = nil) {
            self.path = path
            self.filter = filter
        }
    }

    /// What `SUBQUERY` chooses by.
    package struct Filter: Hashable, Sendable {
        /// The variable that stands for each object, without its dollar sign.
        package var variable: String
        /// What must hold for it.
        package var predicate: PredicateTree

        /// A choice.
        package init(_ variable: String, _ predicate: PredicateTree) {
            self.variable = variable
            self.predicate = predicate
        }
    }
}

extension PredicateExpression {
    /// The value at a dotted key path from the object itself.
    package static func path(_ names: String) -> PredicateExpression { .keyPath(Path(names)) }

    /// A known value. Not-a-number is no value, as SQLite would have it.
    package static func value(_ value: StoredValue) -> PredicateExpression {
        if case .real(let number) = value, number.isNaN { return .constant(.null) }
        return .constant(value)
    }
}

extension PredicateExpression.Aggregate {
    /// The attribute whose values are taken, if any are.
    package var attributePath: String? {
        switch self {
        case .count: nil
        case .sum(let path), .average(let path), .minimum(let path), .maximum(let path): path
        }
    }

    /// The word for it in the format language, without the at sign.
    package var word: String {
        switch self {
        case .count: "count"
        case .sum: "sum"
        case .average: "avg"
        case .minimum: "min"
        case .maximum: "max"
        }
    }

    /// The one with a word, of an attribute's values; nil for a word that none has.
    init?(word: String, attributePath: String) {
        switch word {
        case "sum": self = .sum(attributePath)
        case "avg": self = .average(attributePath)
        case "min": self = .minimum(attributePath)
        case "max": self = .maximum(attributePath)
        default: return nil
        }
    }
}
