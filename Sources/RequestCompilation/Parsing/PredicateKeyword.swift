import ObjectModel

/// The keywords of the format language, which are case-insensitive.
package enum PredicateKeyword: String, CaseIterable {
    /// A keyword, with its spelling in upper case.
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case beginsWith = "BEGINSWITH"
    case contains = "CONTAINS"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case isIn = "IN"
    case between = "BETWEEN"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case trueValue = "TRUE"
    case falseValue = "FALSE"
    case yes = "YES"
    case no = "NO"
    case nilValue = "NIL"
    case null = "NULL"
    case itself = "SELF"
    case subquery = "SUBQUERY"
    case cast = "CAST"

    /// Creates the keyword with this spelling; nil for an ordinary name.
    package init?(_ name: some StringProtocol) {
        guard name.utf8.count <= 14 else { return nil }
        self.init(rawValue: name.uppercased())
    }

    /// The operator that the keyword represents, if any.
    package var relation: PredicateTree.Relation? {
        switch self {
        case .beginsWith: .beginsWith
        case .contains: .contains
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        case .isIn: .isIn
        case .between: .between
        default: nil
        }
    }

    /// The quantifier that the keyword represents, if any.
    package var quantifier: PredicateTree.Quantifier? {
        switch self {
        case .any, .some: .any
        case .all: .all
        case .none: PredicateTree.Quantifier.none
        default: nil
        }
    }
}
