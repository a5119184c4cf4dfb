/// The order of a request's rows, for comparing two of them without asking SQLite.
///
/// SQLite sorts; this tells where in the sorted list a row belongs that came or changed. The values are those
/// that SQLite computed, so that only the comparison of two values is repeated here.
package struct RowOrder: Sendable {
    struct Term {
        let isAscending: Bool
        let areNullsFirst: Bool
        let ignoresCase: Bool
    }

    let terms: [Term]

    /// The order of a request's rows, that by a list of values first.
    init(_ request: RequestDescription) {
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

    /// The number of values that are sorted by.
    var count: Int { terms.count }
}
