import Foundation
import GRDB

/// A store that somebody prepared so that whoever reads it does something else than reading.
enum ForgedStore: CaseIterable {
    case untouched
    // Something else in the place of a table.
    case view, virtualTable, viewOfStates, viewOfStore
    // What would happen at a write, or takes long to understand.
    case triggers, deepView, manyTables
    // Our own tables with what we never put there.
    case shortIdentity, shortKey, otherColumns, lastSequence, textAsNonce, newerFormat, deepModel,
        textAsModel, controlNames
    // Values of other types than the model says.
    case otherValues
    // Files beside the store by which SQLite would bring it into order.
    case log, journal

    /// What the inspector must do.
    enum Expectation {
        /// It reads what is there.
        case readable
        /// It refuses, saying this.
        case refused(String)
        /// Either.
        case anything
    }

    var expectation: Expectation {
        switch self {
        case .untouched, .triggers, .shortIdentity, .shortKey, .textAsNonce, .otherValues, .log,
            .lastSequence:
            .readable
        case .view, .virtualTable, .viewOfStates: .refused("is a view or a virtual table")
        case .viewOfStore: .refused("sc_store")
        case .newerFormat: .refused("format 99")
        case .journal: .refused("cannot be written")
        case .deepModel, .textAsModel: .refused("no model")
        case .deepView, .manyTables, .otherColumns, .controlNames: .anything
        }
    }

    /// Makes it of a sound one.
    func make(of sound: URL, at store: URL) throws {
        try FileManager.default.copyItem(at: sound, to: store)
        switch self {
        case .untouched: break
        case .log: try copyInUse(store, journal: "WAL", suffix: "-wal")
        case .journal: try copyInUse(store, journal: "DELETE", suffix: "-journal")
        default:
            try Self.change(store) { database in
                // Without a check of what the statements do to our triggers.
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
        case .otherValues:
            "UPDATE Song SET title = x'FF00FE', genre = CAST(x'1B5B33316DFF' AS TEXT), year = 'x', length = x'00', added = 'y', identifier = 1, artist = 'z';"
        }
    }

    private static func change(_ store: URL, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: store.path)
        try queue.writeWithoutTransaction(body)
        try queue.close()
    }

    /// Leaves the store as a process leaves it that is killed in the middle of a change.
    private func copyInUse(_ store: URL, journal: String, suffix: String) throws {
        let other = store.appendingPathExtension("other")
        try FileManager.default.moveItem(at: store, to: other)
        let queue = try DatabaseQueue(path: other.path)
        try queue.writeWithoutTransaction { database in
            // So few pages in memory that changed ones are written before the end.
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
