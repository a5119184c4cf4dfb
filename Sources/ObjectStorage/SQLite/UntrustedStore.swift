import CSQLiteShims
import Foundation
import GRDB
import GRDBSQLite
import Mutants

/// How a file is opened that somebody may have prepared to do harm: see ``StoreOptions/isUntrusted``.
///
/// Source: "Defense Against The Dark Arts", sqlite.org/security.html.
enum UntrustedStore {
    /// The options under which nothing of the file is changed, and nothing beside it is made if that can be
    /// avoided.
    ///
    /// A file that was closed in good order is opened for writing, though nothing is written: SQLite then
    /// takes the empty log away with which it reads a file in WAL mode, which a connection for reading alone
    /// leaves behind. Beside a log or a journal it is opened for reading alone, because SQLite would bring
    /// the file into order by them.
    static func options(_ options: StoreOptions, path: String) -> StoreOptions {
        var options = options
        options.isReadOnly = true
        options.isUntrusted = !Mutant.trustedSchema.isPlanted
        options.limits = options.limits ?? StoreLimits()
        // A pool would make it a database with a write-ahead log.
        options.connections = .single
        options.opensFileForWriting = ["-wal", "-journal"].allSatisfy { access(path + $0, F_OK) != 0 }
        return options
    }

    /// Takes from a new connection what a file could make it do: no trigger fires, no view is read, no
    /// constraint that is an expression is evaluated, no value and no statement is long.
    ///
    /// - Parameter isReadOnly: Whether nothing may be written at all.
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

    /// SQLite's own recommendations but for four. How long a value may be is one of the ``StoreLimits``:
    /// an import takes fields of a MiB and records of four. Tables may have as many columns as SQLite allows,
    /// and the condition of a trigger of ours is as deep as its table has columns. A check of all tables is
    /// one program, which is longer than any request.
    private static let limits: [(limit: Int32, value: Int32)] = [
        (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_VDBE_OP, 250_000),
        (SQLITE_LIMIT_COMPOUND_SELECT, 50), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Lets a connection do nothing but read, whatever statement it is given.
    ///
    /// Not for GRDB's connection, on which GRDB finds out by the same means what statements read.
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

    /// Runs a closure that may do more than read, with statements that nothing of the file is in.
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
        // Those of a table or an index name it; the others change something when they have an argument.
        let names =
            argument == nil
            ? ["schema_version", "data_version", "journal_mode", "foreign_keys"]
            : ["table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "quick_check"]
        return name.map { names.contains(String(cString: $0).lowercased()) } ?? false
    }
}

extension UntrustedStore {
    /// Checks the structure of the whole file, before anything else is read of it.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` and the first thing that is wrong.
    /// - Complexity: O(*n*) in the pages of the file.
    static func checkPages(in source: any StatementSource) throws {
        let sql = "PRAGMA main.quick_check(1)"
        guard case .text(let finding)? = try source.rows(sql).first?.first else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the check says nothing", sql: sql)
        }
        guard finding == "ok" else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding, sql: sql)
        }
    }

    /// Makes sure that everything of ours that is read as a table is one, and no view or virtual table put in
    /// its place.
    ///
    /// - Parameter isTrusted: Whether tables that somebody else made may be something else, as far as that is
    ///   checked elsewhere.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/foreignStore``, or `DatabaseError`.
    /// - Complexity: O(*n*) in what the schema has.
    static func checkTables(
        of model: @autoclosure () throws -> ManagedObjectModel, isTrusted: Bool,
        in source: any StatementSource
    ) throws {
        // A virtual table has no pages of its own, and so no first one. Mostly there is nothing of the kind.
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
                "“\(name)” is a view or a virtual table where a store has a table. Somebody put it there; restore the file."
            )
        }
    }
}

/// The memory that SQLite may use.
package enum StoreMemory {
    /// Limits what SQLite may use in this process, for programs that look at files of others. A statement
    /// that needs more fails with ``ObjectStorageError/Code/database``.
    ///
    /// - Parameter byteCount: The bytes for all connections together. A limit that is lower already stays.
    package static func limit(to byteCount: Int) {
        guard byteCount > 0 else { return }
        let present = sqlite3_hard_heap_limit64(-1)
        guard present == 0 || present > Int64(byteCount) else { return }
        sqlite3_hard_heap_limit64(Int64(byteCount))
    }

    /// The limit, in bytes; nil if there is none.
    static var limit: Int64? {
        let limit = sqlite3_hard_heap_limit64(-1)
        return limit > 0 ? limit : nil
    }
}
