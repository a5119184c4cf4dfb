import Foundation
import GRDB

/// A store that an attacker prepared so that a program which reads it does something else.
enum ForgedStore: CaseIterable {
    case untouched
    // Another object in place of a table.
    case view, virtualTable, viewOfStates, viewOfStore
    // Triggers that a write would run, and schemas that take long to parse.
    case triggers, deepView, manyTables
    // The library's own tables with contents that it never writes.
    case shortIdentity, shortKey, otherColumns, lastSequence, textAsNonce, newerFormat, deepModel,
        textAsModel, controlNames
    // Values of other types than in the model.
    case otherValues
    // Expressions that would never end or fill the memory, if they were evaluated.
    case endlessConstraint, endlessTrigger, endlessIndex, endlessColumn, slowColumn, longKey, longColumn
    // Texts with characters that change the direction of a line.
    case directions
    // Files beside the store with which SQLite would recover it.
    case log, journal

    /// The required result of the tools.
    enum Expectation {
        /// The inspector reads the store.
        case readable
        /// The inspector refuses with these words.
        case refused(String)
        /// The browser refuses with these words, and the inspector may do either.
        case browserRefuses(String)
        /// Both may do either.
        case anything
    }

    var expectation: Expectation {
        switch self {
        case .untouched, .triggers, .shortIdentity, .shortKey, .textAsNonce, .otherValues, .log,
            .lastSequence, .endlessConstraint, .endlessTrigger, .directions:
            .readable
        case .view, .virtualTable, .viewOfStates: .refused("is a view or a virtual table")
        case .viewOfStore: .refused("sc_store")
        case .newerFormat: .refused("format 99")
        case .journal: .refused("cannot be written")
        case .deepModel, .textAsModel: .refused("not a model")
        case .endlessColumn, .slowColumn: .browserRefuses("--max-seconds")
        case .longKey: .browserRefuses("--max-value-size")
        case .longColumn: .browserRefuses("--max-section-key")
        case .endlessIndex, .deepView, .manyTables, .otherColumns, .controlNames: .anything
        }
    }

    /// Options of the tools that shorten the trial. Without them the tools stop only at their limit of 30
    /// seconds.
    var options: [String] {
        switch self {
        case .endlessColumn, .slowColumn, .endlessIndex: ["--max-seconds", "1"]
        default: []
        }
    }

    /// An expression whose single step takes minutes: it compares each position of a long text with a long
    /// pattern.
    private static let longStep =
        "replace(printf('%.4000000c', 'a'), printf('%.2000000c', 'a') || 'b', '')"

    /// Makes the store from a sound one.
    func make(of sound: URL, at store: URL) throws {
        try FileManager.default.copyItem(at: sound, to: store)
        switch self {
        case .untouched: break
        case .log: try copyInUse(store, journal: "WAL", suffix: "-wal")
        case .journal: try copyInUse(store, journal: "DELETE", suffix: "-journal")
        default:
            try Self.change(store) { database in
                // Statements that change the triggers must not be checked.
                try database.execute(sql: "PRAGMA legacy_alter_table = ON; PRAGMA foreign_keys = OFF")
                try database.execute(sql: sql)
            }
        }
    }

    private var sql: String {
        func hidden(_ table: String) -> String {
            "ALTER TABLE \(table) RENAME TO Hidden; CREATE VIEW \(table) AS SELECT * FROM Hidden;"
        }
        return switch self {
        case .untouched, .log, .journal: ""
        case .view: hidden("Song")
        case .virtualTable: "DROP TABLE Song; CREATE VIRTUAL TABLE Song USING rtree(objectID, low, high);"
        case .viewOfStates: hidden("sc_gen")
        case .viewOfStore: hidden("sc_store")
        case .triggers:
            """
            CREATE TRIGGER a BEFORE UPDATE ON sc_gen BEGIN DELETE FROM Song; END;
            CREATE TRIGGER b AFTER INSERT ON Song BEGIN DELETE FROM Song; END;
            """
        case .deepView:
            "CREATE VIEW deep0 AS SELECT \(String(repeating: "abs(", count: 20))1\(String(repeating: ")", count: 20));"
                + (1..<60).map { "CREATE VIEW deep\($0) AS SELECT * FROM deep\($0 - 1), deep\($0 - 1);" }
                .joined()
        case .manyTables:
            (0..<1_500).map { "CREATE TABLE t\($0) (a, b, c UNIQUE);" }.joined()
        case .shortIdentity: "UPDATE sc_store SET uuid = x'0102';"
        case .shortKey: "UPDATE sc_store SET mackey = x'';"
        case .otherColumns:
            "DROP TABLE sc_gen; CREATE TABLE sc_gen (id INTEGER PRIMARY KEY, tbl TEXT); INSERT INTO sc_gen VALUES (1, 'Song'), (2, 'Artist');"
        case .lastSequence:
            "UPDATE sc_gen SET seq = 9223372036854775807, room = 1, capacity = -9223372036854775808, nonce = NULL;"
        case .textAsNonce: "UPDATE sc_gen SET nonce = 'sixteen letters!', shape = 7;"
        case .newerFormat: "UPDATE sc_store SET format = 99;"
        case .deepModel:
            "UPDATE sc_store SET model = '\(String(repeating: "[", count: 50_000))\(String(repeating: "]", count: 50_000))';"
        case .textAsModel: "UPDATE sc_store SET model = 'no model';"
        case .controlNames:
            "UPDATE sc_store SET model = replace(model, 'Song', 'So\u{1B}[31mng'), modelDigest = x'00';"
        case .endlessConstraint:
            changed("objectID INTEGER", "objectID INTEGER CHECK (\(Self.longStep) IS NOT NULL)")
        case .endlessTrigger:
            """
            UPDATE sc_gen SET nonce = NULL; CREATE TABLE junk (number);
            CREATE TRIGGER a AFTER UPDATE ON sc_gen BEGIN
            INSERT INTO junk WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n; END;
            """
        case .endlessIndex:
            "CREATE INDEX a ON sc_gen (abs(seq)); UPDATE sc_gen SET nonce = NULL;"
                + "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX a ON sc_gen (length(\(Self.longStep.replacing("'", with: "''"))) + seq)' WHERE name = 'a';"
        case .endlessColumn: computed("genre", Self.longStep)
        case .slowColumn:
            computed(
                "genre",
                (0..<400).map { "length(replace(hex(zeroblob(100000 + objectID + \($0))), '0', 'ab'))" }
                    .joined(separator: " + "))
        case .longKey: "UPDATE Song SET genre = printf('%.400000000c', 'x') WHERE objectID = 7;"
        case .longColumn: computed("genre", "printf('%.3000000c', 'x') || objectID")
        case .directions:
            "UPDATE Song SET title = char(0x61, 0x61C, 0x200E, 0x200F, 0x202E, 0x2066, 0x2028, 0x9B), genre = char(0x200F) || genre;"
        case .otherValues:
            "UPDATE Song SET title = x'FF00FE', genre = CAST(x'1B5B33316DFF' AS TEXT), year = 'x', length = x'00', added = 'y', identifier = 1, artist = 'z';"
        }
    }

    /// Returns SQL that gives SQLite another definition of the table of songs.
    private func changed(_ text: String, _ other: String) -> String {
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '\(text.replacing("'", with: "''"))', '\(other.replacing("'", with: "''"))') WHERE name = 'Song';"
    }

    /// Returns SQL that makes a column computed.
    private func computed(_ column: String, _ expression: String) -> String {
        changed("\"\(column)\" TEXT", "\"\(column)\" TEXT GENERATED ALWAYS AS (\(expression)) VIRTUAL")
    }

    private static func change(_ store: URL, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: store.path)
        try queue.writeWithoutTransaction(body)
        try queue.close()
    }

    /// Leaves the store in the state in which a process that is killed in the middle of a change leaves it.
    private func copyInUse(_ store: URL, journal: String, suffix: String) throws {
        let other = store.appendingPathExtension("other")
        try FileManager.default.moveItem(at: store, to: other)
        let queue = try DatabaseQueue(path: other.path)
        try queue.writeWithoutTransaction { database in
            // With so few pages in memory, changed pages are written before the commit.
            try database.execute(sql: "PRAGMA journal_mode = \(journal); PRAGMA cache_size = 2")
            try database.inTransaction {
                try database.execute(
                    sql: "UPDATE Song SET title = title || ' changed', cover = randomblob(3000)")
                if suffix == "-journal" { try Self.copy(other, store, suffix) }
                return suffix == "-journal" ? .rollback : .commit
            }
            if suffix == "-wal" { try Self.copy(other, store, suffix) }
        }
        try queue.close()
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(other.path + suffix) }
    }

    private static func copy(_ from: URL, _ to: URL, _ suffix: String) throws {
        for suffix in ["", suffix] {
            try FileManager.default.copyItem(atPath: from.path + suffix, toPath: to.path + suffix)
        }
    }
}
