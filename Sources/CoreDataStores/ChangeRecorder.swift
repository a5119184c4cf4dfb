import Crypto
import Foundation
import ObjectStorage

/// The rows that a transaction changed, as temporary triggers of the writing connection report them.
///
/// Temporary triggers belong to the connection: nothing of them is in the file. They report every change of a
/// row, regardless of the statement that makes it.
final class ChangeRecorder {
    /// The row of one table, and a column of it.
    struct Cell: Hashable {
        let table: Int
        let key: Int64
        let column: Int
    }

    /// The name of the SQL function that the triggers call.
    private static let functionName = "sf_owner_change"

    /// Whether changes are recorded. Writes that are rolled back to show unsaved changes are not.
    var isActive = false
    /// The keys of inserted rows, by the position of the table in the plan.
    private(set) var inserted: [Int: Set<Int64>] = [:]
    /// The keys of updated rows.
    private(set) var updated: [Int: Set<Int64>] = [:]
    /// The keys of deleted rows with the numbers of their entities.
    private(set) var deleted: [Int: [Int64: Int64]] = [:]
    /// The inserted, deleted and reordered pairs, by the position of their table in the plan.
    private(set) var pairs: [Int: Set<[Int64]>] = [:]
    /// The cells that were written and may have their values in files.
    private(set) var writtenCells: Set<Cell> = []
    /// The bytes that named a file before, with their table and column.
    private(set) var formerFiles: [Cell: [UInt8]] = [:]

    /// The values that rows had before their first update, in the order of the table's watched columns.
    private var formerValues: [Int: [Int64: [RecordedValue]]] = [:]
    /// The keys of the rows that differ from their former values, in the present comparison.
    private var different: Set<Int64> = []
    /// The keys of all rows in the present comparison.
    private var compared: Set<Int64> = []

    private enum Kind: Int64 { case insertion, update, deletion, pair, cell, formerFile, comparison }

    /// Forgets all changes.
    func clear() {
        (inserted, updated, deleted) = ([:], [:], [:])
        (pairs, writtenCells, formerFiles, formerValues) = ([:], [], [:], [:])
    }

    /// Whether no change was recorded.
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty }

    /// Records that a row is changed by a change of its pairs.
    func noteUpdate(of key: Int64, inTable table: Int) { updated[table, default: []].insert(key) }

    /// Begins the comparison of rows with their former values, which the calls of
    /// ``comparisonSQL(of:position:)`` report.
    func beginComparison() { (compared, different) = ([], []) }

    /// Forgets the updates of the compared rows that have their former values again.
    func forgetEqualRows(inTable table: Int) { updated[table]?.subtract(compared.subtracting(different)) }

    /// Returns the value of a column before the first update of a row; nil for a new row, and for a column
    /// that is not watched.
    func formerValue(
        of key: Int64, inTable position: Int, _ column: String, of table: WritingPlan.Table
    ) -> RecordedValue? {
        guard inserted[position]?.contains(key) != true, let values = formerValues[position]?[key],
            let index = table.watchedColumns.firstIndex(of: column), index < values.count
        else { return nil }
        return values[index]
    }

    /// Returns the keys of the rows that were updated, and neither inserted nor deleted.
    func updatedKeys(inTable table: Int) -> [Int64] {
        (updated[table] ?? []).subtracting(inserted[table] ?? []).subtracting((deleted[table] ?? [:]).keys)
            .sorted()
    }

    /// Returns the keys of the rows that were inserted and not deleted.
    func insertedKeys(inTable table: Int) -> [Int64] {
        (inserted[table] ?? []).subtracting((deleted[table] ?? [:]).keys).sorted()
    }

    /// Returns the keys of the rows that were deleted and not inserted, with the numbers of their entities.
    func deletedKeys(inTable table: Int) -> [(key: Int64, entity: Int64)] {
        (deleted[table] ?? [:]).filter { inserted[table]?.contains($0.key) != true }
            .sorted { $0.key < $1.key }.map { (key: $0.key, entity: $0.value) }
    }

    /// Registers the function with a connection.
    ///
    /// SAFETY: SQLite calls the function only during statements of this connection, which the container uses
    /// on one thread at a time.
    func register(on database: ExternalStoreConnection) {
        // The number of arguments varies, because a call passes only a part of a wide row.
        database.registerFunction(named: Self.functionName, numberOfArguments: -1) { [unowned self] values in
            guard isActive, values.count > 2, case .integer(let kind) = values[0],
                case .integer(let table) = values[1], case .integer(let key) = values[2],
                let kind = Kind(rawValue: kind)
            else { return }
            note(kind, Int(table), key, values.dropFirst(3))
        }
    }

    private func note(_ kind: Kind, _ table: Int, _ key: Int64, _ values: ArraySlice<StoredValue>) {
        switch (kind, values.first) {
        case (.insertion, _): inserted[table, default: []].insert(key)
        case (.update, .integer(let start)): noteUpdate(table, key, Int(start), values.dropFirst())
        case (.comparison, .integer(let start)): compare(table, key, Int(start), values.dropFirst())
        case (.deletion, .integer(let entity)): deleted[table, default: [:]][key] = entity
        case (.deletion, _): deleted[table, default: [:]][key] = 0
        case (.pair, .integer(let other)): pairs[table, default: []].insert([key, other])
        case (.cell, .integer(let column)):
            writtenCells.insert(Cell(table: table, key: key, column: Int(column)))
        case (.formerFile, .integer(let column)):
            let cell = Cell(table: table, key: key, column: Int(column))
            if case .blob(let bytes) = values.last, formerFiles[cell] == nil { formerFiles[cell] = bytes }
        default: break
        }
    }

    /// Records the values of a row from a position on, unless an earlier update had others.
    private func noteUpdate(_ table: Int, _ key: Int64, _ start: Int, _ values: ArraySlice<StoredValue>) {
        updated[table, default: []].insert(key)
        // The calls for one update come in the order of the columns, beginning with 0.
        guard (formerValues[table]?[key]?.count ?? 0) == start else { return }
        formerValues[table, default: [:]][key, default: []] += values.map { RecordedValue($0) }
    }

    private func compare(_ table: Int, _ key: Int64, _ start: Int, _ values: ArraySlice<StoredValue>) {
        compared.insert(key)
        let former = formerValues[table]?[key]?.dropFirst(start).prefix(values.count)
        if former.map(Array.init) != values.map({ RecordedValue($0) }) { different.insert(key) }
    }
}

/// A value of a column for comparisons: the value itself, or the digest of a long text or of long bytes, so
/// that changed rows need little memory.
enum RecordedValue: Equatable {
    case value(StoredValue)
    case digest([UInt8], isText: Bool)

    /// The largest value that is kept, in bytes.
    private static let maximumByteCount = 64

    init(_ value: StoredValue) {
        switch value {
        case .text(let text) where text.utf8.count > Self.maximumByteCount:
            self = .digest(Array(SHA256.hash(data: Data(text.utf8))), isText: true)
        case .blob(let bytes) where bytes.count > Self.maximumByteCount:
            self = .digest(Array(SHA256.hash(data: bytes)), isText: false)
        default: self = .value(value)
        }
    }
}

extension ChangeRecorder {
    /// Returns the calls that compare the watched values of a row with the former ones, as SQL.
    static func comparisonSQL(of table: WritingPlan.Table, position: Int) -> [String] {
        calls(.comparison, of: table, position, row: "")
    }

    /// Returns the calls that pass the watched values of a row. A function has at most 100 arguments, so wide
    /// rows need several calls.
    ///
    /// - Parameter row: The text before each column: `OLD.`, or nothing.
    private static func calls(
        _ kind: Kind, of table: WritingPlan.Table, _ position: Int, row: String
    ) -> [String] {
        let columns = table.watchedColumns.map { row + $0.quotedIdentifier }
        return columns.groups.map { group in
            "\(functionName)(\(kind.rawValue), \(position), \(row)Z_PK, \(group.startIndex), \(group.joined(separator: ", ")))"
        }
    }

    /// Returns the statements that create the temporary triggers for a plan.
    static func triggers(of plan: WritingPlan) -> [String] {
        plan.tables.enumerated().flatMap { triggers(of: $1, position: $0) }
            + plan.pairs.enumerated().flatMap { triggers(of: $1, position: $0) }
    }

    private static func triggers(of table: WritingPlan.Table, position: Int) -> [String] {
        let name = "main." + table.name.quotedIdentifier
        func call(_ kind: Kind, _ key: String, _ other: String = "NULL", _ bytes: String = "NULL") -> String {
            "SELECT \(functionName)(\(kind.rawValue), \(position), \(key), \(other), \(bytes))"
        }
        let formerValues = calls(.update, of: table, position, row: "OLD.").map { "SELECT " + $0 }
        func trigger(_ suffix: String, _ event: String, _ condition: String?, _ body: [String]) -> String {
            let title = "\(functionName)_\(suffix)_\(table.name)".quotedIdentifier
            let when = condition.map { " WHEN " + $0 } ?? ""
            return "CREATE TEMP TRIGGER IF NOT EXISTS \(title) AFTER \(event) ON \(name)\(when) BEGIN "
                + body.map { $0 + "; " }.joined() + "END"
        }
        var (inserting, updating, deleting) = ([String](), [String](), [String]())
        for (index, column) in table.fileColumns.enumerated() {
            let quoted = column.quotedIdentifier
            let isFile = "typeof(OLD.\(quoted)) = 'blob' AND substr(OLD.\(quoted), 1, 1) = x'02'"
            let former = call(.formerFile, "OLD.Z_PK", "\(index)", "OLD.\(quoted)")
            inserting.append(call(.cell, "NEW.Z_PK", "\(index)"))
            updating.append(
                call(.cell, "NEW.Z_PK", "\(index)") + " WHERE OLD.\(quoted) IS NOT NEW.\(quoted)")
            updating.append(former + " WHERE \(isFile) AND OLD.\(quoted) IS NOT NEW.\(quoted)")
            deleting.append(former + " WHERE \(isFile)")
        }
        let differences = table.watchedColumns.map {
            "OLD.\($0.quotedIdentifier) IS NOT NEW.\($0.quotedIdentifier)"
        }
        let groups = differences.groups.map { "(" + $0.joined(separator: " OR ") + ")" }
        let changed = groups.joined(separator: " OR ")
        let triggers = [
            trigger("i", "INSERT", nil, [call(.insertion, "NEW.Z_PK")] + inserting),
            trigger("d", "DELETE", nil, [call(.deletion, "OLD.Z_PK", "OLD.Z_ENT")] + deleting),
        ]
        if formerValues.isEmpty { return triggers }
        return triggers + [trigger("u", "UPDATE", changed, formerValues + updating)]
    }

    private static func triggers(of pairs: WritingPlan.Pairs, position: Int) -> [String] {
        let columns = pairs.ends.map(\.column.quotedIdentifier)
        return [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")].map { event, row in
            let title = "\(functionName)_\(event)_\(pairs.name)".quotedIdentifier
            return """
                CREATE TEMP TRIGGER IF NOT EXISTS \(title) AFTER \(event) ON main.\(pairs.name.quotedIdentifier) \
                BEGIN SELECT \(functionName)(\(Kind.pair.rawValue), \(position), \(row).\(columns[0]), \
                \(row).\(columns[1]), NULL); END
                """
        }
    }
}

extension [String] {
    /// The elements in groups of at most 50.
    fileprivate var groups: [ArraySlice<String>] {
        stride(from: 0, to: count, by: 50).map { self[$0..<Swift.min($0 + 50, count)] }
    }
}
