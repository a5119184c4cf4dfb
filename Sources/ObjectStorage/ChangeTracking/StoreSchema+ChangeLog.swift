import Mutants

/// The tables of the log of changed rows, and the triggers that fill it (decision 0021).
///
/// An *epoch* of a table is the time between two of its stamps. Its number is that of the stamp at its
/// beginning.
extension StoreSchema {
    /// The number of row changes that are logged for one table and epoch.
    static let logCapacity: Int64 = 4_096

    /// The keys of the rows that were inserted, updated or deleted. `other` is the target of a link. In
    /// tables of objects it is 0; the key of an object that an updated or deleted row referred to before; or
    /// -1 if the row may have replaced one with the same key, whose references are not known (decision 0055).
    ///
    /// No column is ever NULL; the conflict clauses exist because a constraint that could abort would cost
    /// every write a savepoint.
    static let logTable = """
        CREATE TABLE main.sc_log (
            gen INTEGER NOT NULL ON CONFLICT IGNORE, seq INTEGER NOT NULL ON CONFLICT IGNORE,
            key NOT NULL ON CONFLICT IGNORE, other NOT NULL ON CONFLICT IGNORE,
            PRIMARY KEY (gen, seq, key, other)) WITHOUT ROWID
        """

    /// The stamps: the nonce of each, whether all changes since the previous stamp were logged, their number,
    /// and as text the schema versions at the stamp and at its last confirmation, with the digest of the
    /// objects that detect changes (``StampedSchema``).
    static let epochTable = """
        CREATE TABLE main.sc_epoch (
            gen INTEGER NOT NULL, seq INTEGER NOT NULL, nonce BLOB NOT NULL, isComplete INTEGER NOT NULL,
            changes INTEGER NOT NULL, schema INTEGER NOT NULL, PRIMARY KEY (gen, seq)) WITHOUT ROWID
        """

    /// A table without rows whose position in the schema follows all objects by which changes are detected.
    static let anchorTable = "CREATE TABLE main.sc_anchor (id INTEGER PRIMARY KEY)"

    /// The triggers that detect the loss of log entries: they mark the epoch of a deleted or changed entry as
    /// incomplete, whether it is current or already stamped.
    static let logGuards: [Trigger] = ["DELETE", "UPDATE"].map { event in
        Trigger(
            name: "sc_log_guard_\(event.lowercased())",
            text: "AFTER \(event) ON sc_log BEGIN "
                + "UPDATE sc_gen SET room = 0 WHERE id = OLD.gen AND seq = OLD.seq; "
                + "UPDATE sc_epoch SET isComplete = 0 WHERE gen = OLD.gen AND seq = OLD.seq + 1 "
                + "AND EXISTS (SELECT 1 FROM sc_epoch WHERE gen = OLD.gen AND seq = OLD.seq); END")
    }

    /// Returns the names of the triggers of a table. No two tables share a name, because the last word has no
    /// underscore.
    static func triggerNames(_ tableName: String) -> [String] {
        ["insert", "update", "delete", "replace", "displace"].map { "sc_\(tableName)_\($0)" }
    }

    /// Returns whether the triggers of a table log the objects that changed rows belonged to before.
    ///
    /// - Parameter triggers: The texts of the table's triggers, by name.
    static func logsOwners(of table: TrackedTable, _ triggers: [String: String]) -> Bool {
        guard !table.ownerColumns.isEmpty else { return true }
        let texts = triggerNames(table.name).map { triggers[$0] }
        func contains(_ position: Int, _ part: String) -> Bool { texts[position]?.contains(part) ?? false }
        return contains(0, TriggerText.replacement) && contains(1, TriggerText.replacement)
            && table.ownerColumns.allSatisfy { column in
                [1, 2].allSatisfy { contains($0, TriggerText.owner(column)) }
                    && [3, 4].allSatisfy {
                        texts[$0] == nil || contains($0, TriggerText.displacedOwner(column))
                    }
            }
    }

    /// A trigger of a table.
    struct Trigger {
        /// The name in the schema.
        let name: String
        /// The text after the name.
        fileprivate let text: String

        /// The text as SQLite stores it.
        var sql: String { "CREATE TRIGGER \(name.quotedIdentifier) \(text)" }
        /// The statement that creates it. Without the name of the database SQLite would create the trigger
        /// for a temporary table that hides the intended one.
        var creationSQL: String { "CREATE TRIGGER main.\(name.quotedIdentifier) \(text)" }
    }

    /// Returns the triggers that clear a table's stamp and log the keys of its rows when any program changes
    /// it.
    ///
    /// They fire for every writer of the file, in the writer's transaction. Once the log of the epoch is full
    /// they find the stamp cleared and no room, and write nothing.
    ///
    /// A conflict clause of the writer's statement overrides that of a trigger's `INSERT OR IGNORE`, but not
    /// `ON CONFLICT` (the section "ON CONFLICT" of "CREATE TRIGGER" and `insert.c`).
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

/// The texts of the triggers of one table, after their names.
///
/// The triggers for inserts and deletes contain nothing that can fail: no constraint that aborts, and no
/// function call. Otherwise SQLite would store, for each statement, the data to undo that statement alone,
/// which takes a tenth of the time of an import.
private struct TriggerText {
    let table: TrackedTable
    let layout: TableLayout
    let trackingID: Int64

    private var tableSQL: String { table.name.quotedIdentifier }

    /// The condition under which a change is recorded; a change in a full epoch evaluates only this. A
    /// stamped table is dirty even without room, as an older version of the library leaves it.
    private var isOpen: String {
        "(SELECT room > 0 OR nonce IS NOT NULL FROM sc_gen WHERE id = \(trackingID))"
    }

    private var clearStamp: String {
        "UPDATE sc_gen SET nonce = NULL, room = room - (room > 0) WHERE id = \(trackingID)"
    }

    var insertion: String? {
        let sequence = "(SELECT seq FROM sqlite_sequence WHERE name = \(table.name.quotedLiteral))"
        let replaced = logReplacement(where: "NEW.`objectID` <= \(sequence)")
        return "AFTER INSERT ON \(tableSQL) WHEN \(isOpen) BEGIN \(log("NEW")); \(replaced)\(clearStamp); END"
    }

    var deletion: String? {
        "AFTER DELETE ON \(tableSQL) WHEN \(isOpen) BEGIN \(log("OLD")); \(logOwners())\(clearStamp); END"
    }

    var update: String? {
        let new = log("NEW", where: " AND \(keys("NEW")) IS NOT \(keys("OLD"))")
        let condition = difference.map { "\(isOpen) AND (\($0))" } ?? isOpen
        let owners =
            logOwners { " AND OLD.\($0) IS NOT NEW.\($0)" }
            + logReplacement(where: "NEW.`objectID` IS NOT OLD.`objectID`") + raiseSequence
        return
            "AFTER UPDATE ON \(tableSQL) WHEN \(condition) BEGIN \(log("OLD")); \(new); \(owners)\(clearStamp); END"
    }

    /// The trigger before an insert, which logs the rows with other keys that `OR REPLACE` would displace,
    /// because no trigger fires for them.
    ///
    /// It does not clear the stamp, because the statement may have no effect. If it displaces a row it also
    /// inserts one, and the trigger of the insert clears the stamp.
    var replacement: String? {
        displacing("INSERT", guarded: "", excluded: "")
    }

    /// The trigger before an update, which logs the rows with other keys that `OR REPLACE` would displace.
    var displacement: String? {
        var columns = layout.displacingKeys.flatMap(\.columns).map(\.name)
        // A row that becomes one of another entity is subject to that entity's indexes.
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
        let entries = [logged(nil)] + table.ownerColumns.map(TriggerText.displacedOwner)
        let logs = sources.flatMap { source in
            entries.map {
                "\(logInsertion) SELECT \(trackingID), (SELECT seq FROM sc_gen WHERE id = \(trackingID)), \($0) \(source) ON CONFLICT DO NOTHING; "
            }
        }
        return
            "BEFORE \(event) ON \(tableSQL) WHEN (SELECT room > 0 FROM sc_gen WHERE id = \(trackingID))\(guarded) AND (\(exists)) "
            + "BEGIN \(logs.joined())UPDATE sc_gen SET room = room - 1 WHERE id = \(trackingID); END"
    }

    private let logInsertion = "INSERT INTO sc_log (gen, seq, key, other)"

    private func log(_ version: String, where condition: String = "") -> String {
        "\(logInsertion) SELECT id, seq, \(logged(version)) FROM sc_gen WHERE id = \(trackingID) AND room > 0\(condition) ON CONFLICT DO NOTHING"
    }

    /// Returns the statements that log the objects which the references of an updated or deleted row led to.
    ///
    /// - Parameter condition: The further condition for a column.
    private func logOwners(where condition: (String) -> String = { _ in "" }) -> String {
        table.ownerColumns.reduce("") {
            $0 + "\(logInsertion) SELECT id, seq, \(TriggerText.owner($1)) FROM sc_gen "
                + "WHERE id = \(trackingID) AND room > 0 AND OLD.\($1) IS NOT NULL\(condition($1)) "
                + "ON CONFLICT DO NOTHING; "
        }
    }

    /// Returns the statement that logs that a row may have replaced another with the same key, for which no
    /// trigger fires. A row that is inserted without a key gets a greater key than all earlier rows.
    private func logReplacement(where condition: String) -> String {
        table.ownerColumns.isEmpty
            ? ""
            : "\(logInsertion) SELECT id, seq, \(TriggerText.replacement) FROM sc_gen "
                + "WHERE id = \(trackingID) AND room > 0 AND \(condition) ON CONFLICT DO NOTHING; "
    }

    /// Raises the last key of the table to one that an update assigned, so that a later row with that key is
    /// known to replace this one.
    private var raiseSequence: String {
        table.ownerColumns.isEmpty
            ? ""
            : "UPDATE sqlite_sequence SET seq = NEW.`objectID` WHERE name = \(table.name.quotedLiteral) "
                + "AND seq < NEW.`objectID` AND NEW.`objectID` IS NOT OLD.`objectID`; "
    }

    /// The keys that are logged for a row that may have replaced another.
    static let replacement = "NEW.`objectID`, -1"

    /// Returns the keys of a row and of the object that its reference led to, as they are logged.
    static func owner(_ column: String) -> String { "OLD.`objectID`, OLD.\(column)" }

    /// Returns the keys of a displaced row and of the object that its reference leads to, as they are logged.
    static func displacedOwner(_ column: String) -> String { "`objectID`, ifnull(\(column), 0)" }

    /// Returns the key as it is logged. A column of an external table may be NULL, which must not make its
    /// program's statement fail.
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

    /// The condition, as SQL, that an update changes any byte of a row. Nil for an external table: its
    /// columns appear in no trigger, because SQLite would not let its program drop such a column.
    ///
    /// Texts are compared without the column's collation. An integer and a REAL may be equal but not
    /// identical if the column's affinity does not convert them; their texts differ. A column without an
    /// affinity preserves minus zero, which equals zero and may have the same text, so a REAL zero always
    /// counts as a change.
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
