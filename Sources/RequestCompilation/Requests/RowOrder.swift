import ObjectModel

/// The order of a request's rows, for comparing two rows without SQLite.
///
/// SQLite sorts the rows; this type finds the position of a new or changed row in the sorted list. The values
/// are those that SQLite computed, so that only the comparison of two values is duplicated here.
package struct RowOrder: Sendable {
    /// One value of the order.
    package struct Term: Sendable {
        /// Whether small values come first.
        package let isAscending: Bool
        /// Whether rows without a value come first.
        package let areNullsFirst: Bool
        /// Whether texts compare by their case-folded forms.
        package let ignoresCase: Bool
    }

    /// The values by which rows are ordered, before the key.
    package let terms: [Term]
    /// Whether the keys are those of a list of several entities, which orders equal rows by entity before
    /// key.
    package let isOfUnion: Bool

    /// Creates the order of a request's rows. The order by a list of values, if the request has one, comes
    /// first.
    package init(_ request: RequestDescription, isOfUnion: Bool = false) {
        self.isOfUnion = isOfUnion
        let rank = Term(isAscending: true, areNullsFirst: true, ignoresCase: false)
        terms =
            (request.precedence == nil ? [] : [rank])
            + request.sort.map { term in
                Term(
                    isAscending: term.isAscending,
                    areNullsFirst: term.nulls == .smallest ? term.isAscending : term.nulls == .first,
                    ignoresCase: term.order.kind == .caseInsensitive)
            }
    }

    /// The number of values by which rows are sorted.
    package var count: Int { terms.count }
}
