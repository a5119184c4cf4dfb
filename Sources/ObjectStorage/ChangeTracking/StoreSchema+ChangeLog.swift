import Mutants

/// The tables of the log of changed rows, and the triggers that fill it (decision 0021).
///
/// An *epoch* of a table is what happens between two of its stamps. It has the number of the stamp that it
/// began with.
extension StoreSchema {
    /// How many row changes of one table and epoch are logged.
    static let logCapacity: Int64 = 4_096

    /// The keys of the rows that were inserted, updated or deleted. `other` is the target of a link, and 0 in
    /// tables of objects. None is ever NULL; the clauses are there because a constraint that could abort
    /// costs every write a savepoint.
    static let logTable = """
        CREATE TABLE main.sc_log (
            gen INTEGER NOT NULL ON CONFLICT IGNORE, seq INTEGER NOT NULL ON CONFLICT IGNORE,
            key NOT NULL ON CONFLICT IGNORE, other NOT NULL ON CONFLICT IGNORE,
            PRIMARY KEY (gen, seq, key, other)) WITHOUT ROWID
        """

    /// The stamps: the nonce that each gave, whether all changes since the one before were logged, how many
    /// they were, and which schema SQLite counted then.
    static let epochTable = """
        CREATE TABLE main.sc_epoch (
            gen INTEGER NOT NULL, seq INTEGER NOT NULL, nonce BLOB NOT NULL, isComplete INTEGER NOT NULL,
            changes INTEGER NOT NULL, schema INTEGER NOT NULL, PRIMARY KEY (gen, seq)) WITHOUT ROWID
        """

    /// A table without rows that keeps its place in the schema behind all that changes are noticed by.
    static let anchorTable = "CREATE TABLE main.sc_anchor (id INTEGER PRIMARY KEY)"

    /// The triggers that note the loss of a part of the log: the epoch of a row that was deleted or changed is
    /// incomplete, whether it goes on or is stamped.
    static let logGuards: [Trigger] = ["DELETE", "UPDATE"].map { event in
        Trigger(
            name: "sc_log_guard_\(event.lowercased())",
            text: "AFTER \(event) ON sc_log BEGIN "
                + "UPDATE sc_gen SET room = 0 WHERE id = OLD.gen AND seq = OLD.seq; "
                + "UPDATE sc_epoch SET isComplete = 0 WHERE gen = OLD.gen AND seq = OLD.seq + 1 "
                + "AND EXISTS (SELECT 1 FROM sc_epoch WHERE gen = OLD.gen AND seq = OLD.seq); END")
    }

    /// The names of the triggers of a table. No two tables have one in common, because the last word has no
    /// underscore.
    static func triggerNames(_ tableName: String) -> [String] {
        ["insert", "update", "delete", "replace", "displace"].map { "sc_\(tableName)_\($0)" }
    }

    /// A trigger of a table.
    struct Trigger {
        /// The name that SQLite knows it by.
        let name: String
        /// What follows the name.
        fileprivate let text: String

        /// Its text as SQLite stores it.
        var sql: String { "CREATE TRIGGER \(name.quotedIdentifier) \(text)" }
        /// What makes it. Without the name of the database SQLite would make it for a temporary table that
        /// hides the one that is meant.
        var creationSQL: String { "CREATE TRIGGER main.\(name.quotedIdentifier) \(text)" }
    }

    /// The triggers that clearStamp a table and log the keys of its rows when anybody changes it.
    ///
    /// They fire for every writer of the file, in the writer's own transaction. When the log of the epoch is
    /// full they find the nonce cleared and no room, and write nothing.
    ///
    /// A conflict clause of the writer's statement takes the place of one in a trigger's `INSERT OR IGNORE`,
    /// but not of `ON CONFLICT` (the section "ON CONFLICT" of "CREATE TRIGGER" and `insert.c`).
    static func triggers(
        _ table: TrackedTable, _ layout: TableLayout, trackingID: Int64
    ) -> [Trigger] {
        let triggers = TriggerText(table: table, layout: layout, trackingID: trackingID)
        return zip(
            triggerNames(table.name),
            [
                triggers.insertion, triggers.update, triggers.deletion, triggers.replacement,
                triggers.displacement,
            ]
        ).compactMap { name, text in
            if Mutant.deletionTriggerAlone.isPlanted, !name.hasSuffix("_delete") { return nil }
            return text.map { Trigger(name: name, text: $0) }
        }
    }
}

/// The texts of the triggers of one table, behind their names.
///
/// Nothing in those for inserts and deletes can fail: no constraint that aborts, and no call of a function.
/// Otherwise SQLite would keep, for each statement, what it needs to undo it alone, which takes a tenth of an
/// import.
private struct TriggerText {
    let table: TrackedTable
    let layout: TableLayout
    let trackingID: Int64

    private var tableSQL: String { table.name.quotedIdentifier }

    /// Whether there is anything to write, which is all that a change in a full epoch has to find out. A
    /// stamped table is dirty also where there is no room, as an older version of the library leaves it.
    private var isOpen: String {
        "(SELECT room > 0 OR nonce IS NOT NULL FROM sc_gen WHERE id = \(trackingID))"
    }

    private var clearStamp: String {
        "UPDATE sc_gen SET nonce = NULL, room = room - (room > 0) WHERE id = \(trackingID)"
    }

    var insertion: String? {
        "AFTER INSERT ON \(tableSQL) WHEN \(isOpen) BEGIN \(log("NEW")); \(clearStamp); END"
    }

    var deletion: String? {
        "AFTER DELETE ON \(tableSQL) WHEN \(isOpen) BEGIN \(log("OLD")); \(clearStamp); END"
    }

    var update: String? {
        let new = log("NEW", where: " AND \(keys("NEW")) IS NOT \(keys("OLD"))")
        let condition = difference.map { "\(isOpen) AND (\($0))" } ?? isOpen
        return "AFTER UPDATE ON \(tableSQL) WHEN \(condition) BEGIN \(log("OLD")); \(new); \(clearStamp); END"
    }

    /// Before an insert: rows of other keys that it would displace by `OR REPLACE`, for which no trigger
    /// fires.
    ///
    /// It does not clearStamp, because the statement may do nothing after all. If it displaces a row it inserts
    /// one as well, and the trigger for that clearsStamp.
    var replacement: String? {
        displacing("INSERT", guarded: "", excluded: "")
    }

    /// The same before an update.
    var displacement: String? {
        var columns = layout.displacingKeys.flatMap(\.columns).map(\.name)
        // A row that becomes one of another entity comes under the indexes of that.
        if layout.displacingKeys.contains(where: { $0.condition != nil }) { columns.append("\".entity\"") }
        return displacing(
            "UPDATE", guarded: " AND \(row("NEW", columns)) IS NOT \(row("OLD", columns))",
            excluded: " AND \(keys(nil)) IS NOT \(keys("OLD"))")
    }

    private func displacing(_ event: String, guarded: String, excluded: String) -> String? {
        guard layout.isCovered, !layout.displacingKeys.isEmpty else { return nil }
        let sources = layout.displacingKeys.map { key in
            let terms = key.columns.map { column in
                let new = "NEW.\(column.name)"
                let value = column.replacement.map { "ifnull(\(new), \($0))" } ?? new
                return "\(column.name) = \(value) COLLATE \(column.collation.quotedIdentifier)"
            }
            let condition = key.condition.map { " AND " + $0 } ?? ""
            return "FROM \(tableSQL) WHERE \(terms.joined(separator: " AND "))\(condition)\(excluded)"
        }
        let exists = sources.map { "EXISTS (SELECT 1 \($0))" }.joined(separator: " OR ")
        let logs = sources.map {
            "\(logInsertion) SELECT \(trackingID), (SELECT seq FROM sc_gen WHERE id = \(trackingID)), \(logged(nil)) \($0) ON CONFLICT DO NOTHING; "
        }
        return
            "BEFORE \(event) ON \(tableSQL) WHEN (SELECT room > 0 FROM sc_gen WHERE id = \(trackingID))\(guarded) AND (\(exists)) "
            + "BEGIN \(logs.joined())UPDATE sc_gen SET room = room - 1 WHERE id = \(trackingID); END"
    }

    private let logInsertion = "INSERT INTO sc_log (gen, seq, key, other)"

    private func log(_ version: String, where condition: String = "") -> String {
        "\(logInsertion) SELECT id, seq, \(logged(version)) FROM sc_gen WHERE id = \(trackingID) AND room > 0\(condition) ON CONFLICT DO NOTHING"
    }

    /// The key as it is logged. An owner's columns may be NULL, which must not fail his statement.
    private func logged(_ version: String?) -> String {
        let columns = table.keyColumns.map { (version.map { $0 + "." } ?? "") + $0 }
        let values = table.isOurs ? columns : columns.map { "ifnull(\($0), '')" }
        return (values.count > 1 ? values : values + ["0"]).joined(separator: ", ")
    }

    private func keys(_ version: String?) -> String { row(version, table.keyColumns) }

    private func row(_ version: String?, _ columns: [String]) -> String {
        list(columns.map { (version.map { $0 + "." } ?? "") + $0 })
    }

    private func list(_ terms: [String]) -> String { "(" + terms.joined(separator: ", ") + ")" }

    /// Whether an update changes any byte of a row, as SQL; nil for an owner's table, whose columns no
    /// trigger names: SQLite would not let him drop one that does.
    ///
    /// Texts are compared without the column's collation. An integer and a real may be equal and not the
    /// same, where the column's affinity does not decide; their texts differ. A column without any keeps
    /// minus zero, which is no other value than zero and may have the same text, so a real zero is always
    /// taken for a change.
    private var difference: String? {
        guard table.isOurs else { return nil }
        let columns = layout.columns.map(\.name)
        let new = list(columns.map { "NEW.\($0) COLLATE BINARY" })
        var terms = ["\(row("OLD", columns)) IS NOT \(new)"]
        let numeric = layout.columns.filter { $0.affinity == .numeric || $0.affinity == .none }.map(\.name)
        if !numeric.isEmpty {
            func texts(_ version: String) -> String {
                list(numeric.map { "CAST(\(version).\($0) AS TEXT)" })
            }
            terms.append("\(texts("OLD")) IS NOT \(texts("NEW"))")
        }
        terms += layout.columns.filter { $0.affinity == .none }.map {
            "(NEW.\($0.name) = 0 AND CAST(NEW.\($0.name) AS TEXT) IS NOT '0')"
        }
        return terms.joined(separator: " OR ")
    }
}
