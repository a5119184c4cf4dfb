import CSQLiteShims
import Foundation
import GRDB
import GRDBSQLite
import Mutants

/// The protections for a file that may be malicious: see ``StoreOptions/isUntrusted``.
///
/// Source: "Defense Against The Dark Arts", sqlite.org/security.html.
enum UntrustedStore {
    /// Returns the options with which nothing in the file is changed, and, if possible, no file beside it is
    /// created.
    ///
    /// A cleanly closed file is opened for writing, although nothing is written: SQLite then deletes the
    /// empty log that it needs to read a file in WAL mode, whereas a read-only connection leaves it behind. A
    /// file with a log or a journal is opened read-only, because SQLite would otherwise recover the file from
    /// them.
    static func options(_ options: StoreOptions, path: String) -> StoreOptions {
        var options = options
        options.isReadOnly = true
        options.isUntrusted = !Mutant.trustedSchema.isPlanted
        options.limits = options.limits ?? StoreLimits()
        // A pool would convert it to a database with a write-ahead log.
        options.connections = .single
        options.opensFileForWriting = isClosed(path)
        return options
    }

    /// Returns whether a file has neither a write-ahead log nor a journal, as after a clean close.
    static func isClosed(_ path: String) -> Bool {
        guard let file = SymbolicLinks.target(of: path) else { return true }
        return ["-wal", "-journal"].allSatisfy { access(file + $0, F_OK) != 0 }
    }

    /// Restricts the effects of a file on a new connection: no trigger fires, no view is read, no constraint
    /// with an expression is evaluated, and the length of values and statements is limited.
    ///
    /// - Parameter isReadOnly: Whether the connection must not write.
    /// - Throws: `DatabaseError`.
    static func restrict(_ source: some StatementSource, isReadOnly: Bool) throws {
        guard csqlitesettings_distrust(UnsafeMutableRawPointer(source.connection)) == SQLITE_OK else {
            throw DatabaseError(of: source.connection, sql: "")
        }
        for (limit, value) in limits { sqlite3_limit(source.connection, limit, value) }
        try source.runScript(
            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0"
        )
        if !Mutant.unlimitedStatements.isPlanted {
            try source.runScript("PRAGMA ignore_check_constraints = ON")
        }
        if isReadOnly { try source.runScript("PRAGMA query_only = ON") }
    }

    /// SQLite's recommendations with four exceptions. The length of values is one of the ``StoreLimits``: an
    /// import accepts fields of a MiB and records of four. Tables may have SQLite's maximum of columns, and
    /// the depth of a library trigger's condition grows with the columns of its table. A check of all tables
    /// is one virtual machine program, longer than that of any request.
    private static let limits: [(limit: Int32, value: Int32)] = [
        (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_VDBE_OP, 250_000),
        (SQLITE_LIMIT_COMPOUND_SELECT, 50), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Restricts a connection to reading, for all statements.
    ///
    /// The restriction cannot be applied to GRDB's connection, because GRDB uses the same callback to
    /// determine what statements read.
    static func allowReadingAlone(on source: some StatementSource) {
        sqlite3_set_authorizer(
            source.connection,
            { _, action, first, second, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE, SQLITE_TRANSACTION: return SQLITE_OK
                case SQLITE_FUNCTION:
                    return UntrustedStore.isHarmless(function: second) ? SQLITE_OK : SQLITE_DENY
                case SQLITE_PRAGMA:
                    return UntrustedStore.isReading(pragma: first, argument: second) ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
    }

    /// Runs a closure without the restriction to reading, for statements that contain nothing from the file.
    ///
    /// - Parameter isGuarded: Whether ``allowReadingAlone(on:)`` was called.
    static func withoutBan(
        on source: some StatementSource, isGuarded: Bool, _ body: () throws -> Void
    ) rethrows {
        guard isGuarded else { return try body() }
        sqlite3_set_authorizer(source.connection, nil, nil)
        defer { allowReadingAlone(on: source) }
        try body()
    }

    private static func isHarmless(function name: UnsafePointer<CChar>?) -> Bool {
        let effects = ["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"]
        return name.map { !effects.contains(String(cString: $0).lowercased()) } ?? false
    }

    private static func isReading(
        pragma name: UnsafePointer<CChar>?, argument: UnsafePointer<CChar>?
    ) -> Bool {
        // Pragmas of a table or an index have its name as argument; the others change a setting if they have
        // one.
        let names =
            argument == nil
            ? ["schema_version", "data_version", "journal_mode", "foreign_keys"]
            : [
                "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list",
                "quick_check",
            ]
        return name.map { names.contains(String(cString: $0).lowercased()) } ?? false
    }
}

extension UntrustedStore {
    /// Checks the structure of the whole file, before anything else is read from it.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` and the first error that was found.
    /// - Complexity: O(*n*) in the pages of the file.
    static func checkPages(in source: any StatementSource) throws {
        let sql = "PRAGMA main.quick_check(1)"
        guard case .text(let finding)? = try source.rows(sql).first?.first else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "the check returned no result", sql: sql)
        }
        guard finding == "ok" else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding, sql: sql)
        }
    }

    /// Checks that every table that the library reads is a table, and not a view or virtual table in its
    /// place.
    ///
    /// - Parameter isTrusted: Whether external tables are excluded, because they are checked elsewhere.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/foreignStore``, or `DatabaseError`.
    /// - Complexity: O(*n*) in the objects of the schema.
    static func checkTables(
        of model: @autoclosure () throws -> ManagedObjectModel, isTrusted: Bool,
        in source: any StatementSource
    ) throws {
        // A virtual table has no pages of its own, and so no root page. Usually there are neither views nor
        // virtual tables.
        let rows = try source.rows(
            """
            SELECT name FROM main.sqlite_schema
            WHERE type = 'view' OR type = 'table' AND NOT (typeof(rootpage) = 'integer' AND rootpage > 0) ORDER BY name
            """)
        guard !rows.isEmpty else { return }
        let model = try model()
        var names: Set<String> = []
        let control = ["sc_store", "sc_gen", "sc_log", "sc_epoch", "sc_history", "sc_anchor"]
        for name in control + [LargeValueTable.tableName] {
            names.insert(name.lowercased())
        }
        for table in model.tables where !isTrusted || table.root.mapping == nil {
            names.insert(table.root.tableName.lowercased())
        }
        for table in model.linkTables where !isTrusted || table.existing == nil {
            names.insert(table.name.lowercased())
        }
        for row in rows {
            guard case .text(let name) = row[0], names.contains(name.lowercased()) else { continue }
            throw ObjectStorageError(
                .foreignStore,
                "“\(name)” is a view or a virtual table where a store has a table. Another program replaced it; restore the file."
            )
        }
    }
}

/// The memory limit of SQLite.
package enum StoreMemory {
    /// Limits SQLite's memory in this process, for programs that open files of unknown origin. A statement
    /// that needs more fails with ``ObjectStorageError/Code/limitExceeded``.
    ///
    /// - Parameter byteCount: The number of bytes for all connections together. A lower existing limit is
    ///   kept.
    package static func limit(to byteCount: Int) {
        guard byteCount > 0 else { return }
        let present = sqlite3_hard_heap_limit64(-1)
        guard present == 0 || present > Int64(byteCount) else { return }
        sqlite3_hard_heap_limit64(Int64(byteCount))
    }

    /// The limit in bytes; nil without a limit.
    static var limit: Int64? {
        let limit = sqlite3_hard_heap_limit64(-1)
        return limit > 0 ? limit : nil
    }
}
