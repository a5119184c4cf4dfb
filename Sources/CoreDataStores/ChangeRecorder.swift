import ObjectStorage

/// The rows that a transaction changed, as temporary triggers of the writing connection report them.
///
/// Temporary triggers belong to the connection: nothing of them is in the file. They report every change of
/// a row, whichever statement makes it.
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

    /// The values that rows had before their first update, as SQL.
    private(set) var formerValues: [Int: [Int64: String]] = [:]

    private enum Kind: Int64 { case insertion, update, deletion, pair, cell, formerFile }

    /// Forgets all changes.
    func clear() {
        (inserted, updated, deleted) = ([:], [:], [:])
        (pairs, writtenCells, formerFiles, formerValues) = ([:], [], [:], [:])
    }

    /// Whether no change was recorded.
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty }

    /// Records that a row is changed by a change of its pairs.
    func noteUpdate(of key: Int64, inTable table: Int) { updated[table, default: []].insert(key) }

    /// Forgets the update of a row that has its former values again.
    func forgetUpdate(of key: Int64, inTable table: Int) { updated[table]?.remove(key) }

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
    func register(on database: OwnersDatabase) {
        database.registerFunction(named: Self.functionName, numberOfArguments: 5) { [unowned self] values in
            guard isActive, case .integer(let kind) = values[0], case .integer(let table) = values[1],
                case .integer(let key) = values[2], let kind = Kind(rawValue: kind)
            else { return }
            note(kind, Int(table), key, values[3], values[4])
        }
    }

    private func note(
        _ kind: Kind, _ table: Int, _ key: Int64, _ other: StoredValue, _ bytes: StoredValue
    ) {
        switch (kind, other) {
        case (.insertion, _): inserted[table, default: []].insert(key)
        case (.update, .text(let values)):
            updated[table, default: []].insert(key)
            if formerValues[table]?[key] == nil { formerValues[table, default: [:]][key] = values }
        case (.deletion, .integer(let entity)): deleted[table, default: [:]][key] = entity
        case (.deletion, _): deleted[table, default: [:]][key] = 0
        case (.pair, .integer(let other)): pairs[table, default: []].insert([key, other])
        case (.cell, .integer(let column)):
            writtenCells.insert(Cell(table: table, key: key, column: Int(column)))
        case (.formerFile, .integer(let column)):
            let cell = Cell(table: table, key: key, column: Int(column))
            if case .blob(let bytes) = bytes, formerFiles[cell] == nil { formerFiles[cell] = bytes }
        default: break
        }
    }
}

extension ChangeRecorder {
    /// Returns the SQL that describes the watched values of a row as one text.
    ///
    /// - Parameter prefix: The text before each column: `OLD.`, or nothing.
    static func valuesSQL(of table: WritingPlan.Table, prefix: String = "") -> String {
        guard !table.watchedColumns.isEmpty else { return "''" }
        let values = table.watchedColumns.map { "quote(\(prefix)\($0.quotedIdentifier))" }
        // Groups keep the depth of the expression below SQLite's limit for wide tables.
        return values.groups.map { "(" + $0.joined(separator: " || ',' || ") + ")" }
            .joined(separator: " || ',' || ")
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
        let changed = groups.isEmpty ? "0" : groups.joined(separator: " OR ")
        return [
            trigger("i", "INSERT", nil, [call(.insertion, "NEW.Z_PK")] + inserting),
            trigger(
                "u", "UPDATE", changed,
                [call(.update, "NEW.Z_PK", valuesSQL(of: table, prefix: "OLD."))] + updating),
            trigger("d", "DELETE", nil, [call(.deletion, "OLD.Z_PK", "OLD.Z_ENT")] + deleting),
        ]
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
