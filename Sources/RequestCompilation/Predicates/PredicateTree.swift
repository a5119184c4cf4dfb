/// A predicate as a tree, without the Swift type of the objects.
///
/// Every node is true or false, never unknown: a comparison with no value is false and its negation true.
/// `==` and `!=` treat no value as one more value.
///
/// Trees are made in one form: parts of ``and(_:)`` and ``or(_:)`` are at least two and not of the same kind
/// as the whole; see ``conjunction(_:)``. For trees in that form, and no others, printing and parsing undo
/// each other.
package indirect enum PredicateTree: Hashable, Sendable {
    /// Always true or always false.
    case constant(Bool)
    /// Two expressions compared.
    case comparison(Comparison)
    /// All of some hold.
    case and([PredicateTree])
    /// At least one of some holds.
    case or([PredicateTree])
    /// The opposite.
    case not(PredicateTree)
}

extension PredicateTree {
    /// Two expressions and how they compare.
    package struct Comparison: Hashable, Sendable {
        /// How.
        package var relation: Relation
        /// Which differences between texts do not count.
        package var options: TextOptions
        /// For how many of the objects that the left key path leads to it must hold.
        package var quantifier: Quantifier?
        /// What is compared.
        package var left: PredicateExpression
        /// With what.
        package var right: PredicateExpression

        /// Compares two expressions.
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

    /// How two values compare.
    package enum Relation: String, Hashable, Sendable, CaseIterable {
        case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual
        /// The left text begins with, contains or ends with the right one.
        case beginsWith, contains, endsWith
        /// The left text as a whole fits the right one, in which `*` and `?` stand for others.
        case like
        /// The left text as a whole fits the right one, a regular expression.
        case matches
        /// The left value is one of a list, or of the objects at the other end of a to-many relationship.
        case isIn
        /// The left value lies between two, both included.
        case between
    }

    /// Which differences between texts do not count.
    package struct TextOptions: OptionSet, Hashable, Sendable {
        /// The bits, which are also what SQL functions are given.
        package let rawValue: UInt8

        /// Makes options of bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are the same.
        package static let ignoringCase = Self(rawValue: 1)
        /// `[d]`: a letter with marks is the same as the plain letter.
        package static let ignoringDiacritics = Self(rawValue: 2)
    }

    /// For how many of some objects a comparison must hold.
    package enum Quantifier: String, Hashable, Sendable, CaseIterable {
        /// For at least one; false where there are no objects.
        case any
        /// For each; true where there are no objects.
        case all
        /// For none; true where there are no objects.
        case none
    }
}

extension PredicateTree {
    /// A comparison of two expressions.
    package static func comparison(
        _ left: PredicateExpression, _ relation: Relation, _ right: PredicateExpression,
        options: TextOptions = [], quantifier: Quantifier? = nil
    ) -> PredicateTree {
        .comparison(Comparison(left, relation, right, options: options, quantifier: quantifier))
    }

    /// All of some hold; of none, true. The parts of parts that say the same are taken apart.
    package static func conjunction(_ parts: [PredicateTree]) -> PredicateTree {
        var flat: [PredicateTree] = []
        for part in parts { if case .and(let inner) = part { flat += inner } else { flat.append(part) } }
        return flat.count > 1 ? .and(flat) : flat.first ?? .constant(true)
    }

    /// At least one of some holds; of none, false.
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
    /// Whether it is about texts alone.
    var comparesTexts: Bool {
        switch self {
        case .beginsWith, .contains, .endsWith, .like, .matches: true
        default: false
        }
    }
}
