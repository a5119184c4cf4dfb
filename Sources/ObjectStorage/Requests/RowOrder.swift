import GRDBSQLite

/// Where a row stands in an order: the values that are sorted by, and its key, which decides between rows that are equal in
/// all of them.
package struct RowPlace: Sendable {
    /// The row's key.
    package let key: Int64
    let values: [OrderValue]
}

/// A value that is sorted by, as SQLite has it. Texts are bytes, because those that are not valid UTF-8 are sorted as well.
enum OrderValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// The value in a column of the current row.
    init(_ statement: SQLiteStatement, column: Int) {
        switch statement.storageClass(column) {
        case SQLITE_INTEGER: self = .integer(statement.integer(column))
        case SQLITE_FLOAT:
            if case .real(let value) = statement.value(column) { self = .real(value) } else { self = .null }
        case SQLITE_TEXT: self = .text(Array(statement.textBytes(column)))
        case SQLITE_BLOB: self = .blob(Array(statement.blobBytes(column)))
        default: self = .null
        }
    }
}

/// The order of a request's rows, for comparing two of them without asking SQLite.
///
/// SQLite sorts; this tells where in the sorted list a row belongs that came or changed. The values are those that SQLite
/// computed, so that only the comparison of two values is repeated here: by storage class, numbers by their exact value, texts
/// and blobs by their bytes.
///
/// Source: "Datatypes In SQLite", section 4.1.
package struct RowOrder: Sendable {
    private struct Term {
        let isAscending: Bool
        let areNullsFirst: Bool
        let ignoresCase: Bool
    }

    private let terms: [Term]

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

    /// Whether a row stands before another.
    package func precedes(_ first: RowPlace, _ second: RowPlace) -> Bool {
        for (position, term) in terms.enumerated() {
            let order = Self.compare(first.values[position], second.values[position], term)
            if order != 0 { return order < 0 }
        }
        return first.key < second.key
    }

    private static func compare(_ first: OrderValue, _ second: OrderValue, _ term: Term) -> Int {
        switch (first, second) {
        case (.null, .null): return 0
        case (.null, _): return term.areNullsFirst ? -1 : 1
        case (_, .null): return term.areNullsFirst ? 1 : -1
        default:
            let order = compare(first, second, ignoresCase: term.ignoresCase)
            return term.isAscending ? order : -order
        }
    }

    private static func compare(_ first: OrderValue, _ second: OrderValue, ignoresCase: Bool) -> Int {
        switch (first, second) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.real(let a), .real(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .real(let b)): return compare(a, b)
        case (.real(let a), .integer(let b)): return -compare(b, a)
        case (.text(let a), .text(let b)) where ignoresCase:
            return Int(
                a.withUnsafeBytes { a in b.withUnsafeBytes { TextCollations.compareIgnoringCase(a, $0) } })
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): return compare(a, b)
        default: return rank(first) < rank(second) ? -1 : 1
        }
    }

    /// Compares exactly, where a conversion of the integer would round.
    private static func compare(_ integer: Int64, _ number: Double) -> Int {
        // 2⁶³ is the first number that is larger than all integers.
        if number >= 0x1p63 { return -1 }
        if number < -0x1p63 { return 1 }
        let whole = Int64(number)
        if integer != whole { return integer < whole ? -1 : 1 }
        let fraction = number - Double(whole)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }

    private static func compare(_ first: [UInt8], _ second: [UInt8]) -> Int {
        let common = min(first.count, second.count)
        for position in 0..<common where first[position] != second[position] {
            return first[position] < second[position] ? -1 : 1
        }
        return first.count - second.count
    }

    /// The order of the storage classes.
    private static func rank(_ value: OrderValue) -> Int {
        switch value {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
