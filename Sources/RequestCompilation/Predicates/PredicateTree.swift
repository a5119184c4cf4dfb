import ObjectModel

/// A predicate as a tree, independent of the Swift type of the objects.
///
/// Every node is true or false, never unknown: a comparison with a missing value is false, and its negation
/// true. `==` and `!=` treat a missing value as one more value.
///
/// Trees are built in one form: ``and(_:)`` and ``or(_:)`` have at least two parts, and no part of the same
/// kind; see ``conjunction(_:)``. Formatting and parsing are inverse only for trees in this form.
package indirect enum PredicateTree: Hashable, Sendable {
    /// Always true or always false.
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(Comparison)
    /// True if all parts are true.
    case and([PredicateTree])
    /// True if at least one part is true.
    case or([PredicateTree])
    /// The negation of a predicate.
    case not(PredicateTree)
}

extension PredicateTree {
    /// A comparison of two expressions.
    package struct Comparison: Hashable, Sendable {
        /// The relation between the two.
        package var relation: Relation
        /// The differences between texts that are ignored.
        package var options: TextOptions
        /// The quantifier over the objects to which the left key path leads; nil for none.
        package var quantifier: Quantifier?
        /// The left expression.
        package var left: PredicateExpression
        /// The right expression.
        package var right: PredicateExpression

        /// Creates a comparison.
        package init(
            _ left: PredicateExpression, _ relation: Relation, _ right: PredicateExpression,
            options: TextOptions = [], quantifier: Quantifier? = nil
        ) {
            self.relation = relation
            self.options = options
            self.quantifier = quantifier
            self.left = left
            self.right = right
        }
    }

    /// The relations between two values.
    package enum Relation: String, Hashable, Sendable, CaseIterable {
        /// The values are equal, or ordered in the given way.
        case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual
        /// The left text begins with, contains or ends with the right one.
        case beginsWith, contains, endsWith
        /// The left text as a whole matches the right one, in which `*` and `?` are wildcards.
        case like
        /// The left text as a whole matches the right one, a regular expression.
        case matches
        /// The left value is one of a list, or of the objects at the other end of a to-many relationship.
        case isIn
        /// The left value is between two values, both included.
        case between
    }

    /// The differences between texts that a comparison ignores.
    package struct TextOptions: OptionSet, Hashable, Sendable {
        /// The bits, which are also passed to the SQL functions.
        package let rawValue: UInt8

        /// Creates options from their bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are equal.
        package static let ignoringCase = Self(rawValue: 1)
        /// `[d]`: a letter with marks equals the plain letter.
        package static let ignoringDiacritics = Self(rawValue: 2)
    }

    /// The number of objects for which a comparison must be true.
    package enum Quantifier: String, Hashable, Sendable, CaseIterable {
        /// At least one; false if there are no objects.
        case any
        /// Every one; true if there are no objects.
        case all
        /// None; true if there are no objects.
        case none
    }
}

extension PredicateTree {
    /// Returns a comparison of two expressions.
    package static func comparison(
        _ left: PredicateExpression, _ relation: Relation, _ right: PredicateExpression,
        options: TextOptions = [], quantifier: Quantifier? = nil
    ) -> PredicateTree {
        .comparison(Comparison(left, relation, right, options: options, quantifier: quantifier))
    }

    /// Returns the conjunction of predicates, with nested conjunctions flattened; true for none.
    package static func conjunction(_ parts: [PredicateTree]) -> PredicateTree {
        var flat: [PredicateTree] = []
        for part in parts { if case .and(let inner) = part { flat += inner } else { flat.append(part) } }
        return flat.count > 1 ? .and(flat) : flat.first ?? .constant(true)
    }

    /// Returns the disjunction of predicates, with nested disjunctions flattened; false for none.
    package static func disjunction(_ parts: [PredicateTree]) -> PredicateTree {
        var flat: [PredicateTree] = []
        for part in parts { if case .or(let inner) = part { flat += inner } else { flat.append(part) } }
        return flat.count > 1 ? .or(flat) : flat.first ?? .constant(false)
    }
}

extension PredicateTree: CustomStringConvertible {
    /// The predicate in the format language.
    package var description: String { format }
}

extension PredicateTree.Relation {
    /// Whether both values must be texts.
    package var comparesTexts: Bool {
        switch self {
        case .beginsWith, .contains, .endsWith, .like, .matches: true
        default: false
        }
    }
}
