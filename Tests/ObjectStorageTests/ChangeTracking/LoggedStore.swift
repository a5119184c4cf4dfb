import Foundation
import CheckSupport
import Testing

import ObjectStorage

/// A store whose change log is compared with the contents of its tables before and after statements.
///
/// The oracle uses no triggers: it reads all rows with the sqlite3 shell, and a row counts as changed if the
/// shell prints it differently.
final class LoggedStore {
    /// Songs with unique titles and numbers, artists, and tags in a many-to-many relationship; films and
    /// tunes share a table, and the codes of tunes are unique.
    static let json = """
        [{"name": "Artist", "attributes": [{"name": "name", "type": "string", "isUnique": true}],
          "relationships": [{"name": "songs", "destinationEntityName": "Song", "isToMany": true, "inverseName": "artist"}]},
         {"name": "Song", "uniquenessConstraints": [["disc", "place"]],
          "attributes": [{"name": "title", "type": "string", "isUnique": true},
            {"name": "number", "type": "integer64", "isUnique": true, "isOptional": true},
            {"name": "disc", "type": "integer16", "isOptional": true}, {"name": "place", "type": "integer16", "isOptional": true},
            {"name": "rating", "type": "double", "isOptional": true}, {"name": "note", "type": "string", "isOptional": true},
            {"name": "picture", "type": "binaryData", "isOptional": true}],
          "relationships": [{"name": "artist", "destinationEntityName": "Artist", "inverseName": "songs"},
            {"name": "tags", "destinationEntityName": "Tag", "isToMany": true, "inverseName": "songs"}]},
         {"name": "Tag", "attributes": [{"name": "name", "type": "string"}],
          "relationships": [{"name": "songs", "destinationEntityName": "Song", "isToMany": true, "inverseName": "tags"}]},
         {"name": "Media", "attributes": [{"name": "title", "type": "string"}]},
         {"name": "Film", "parentName": "Media", "attributes": [{"name": "length", "type": "integer16", "isOptional": true}]},
         {"name": "Tune", "parentName": "Media", "attributes": [{"name": "code", "type": "string", "isOptional": true, "isUnique": true}]}]
        """

    /// A table of the store and its key columns.
    struct Table {
        let name: String
        let keys: [String]
    }

    let directory: TemporaryDirectory
    let url: URL
    let tables: [Table]
    let container: PersistentContainer
    private var columns: [String: [Substring]] = [:]

    /// Creates a store of songs.
    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("songs.sqlite")
        container = try PersistentContainer(url: url, model: ManagedObjectModel(jsonText: Self.json))
        tables = [
            Table(name: "Artist", keys: ["objectID"]), Table(name: "Media", keys: ["objectID"]),
            Table(name: "Song", keys: ["objectID"]), Table(name: "Song.tags", keys: ["source", "target"]),
            Table(name: "Tag", keys: ["objectID"]),
        ]
    }

    /// Creates a database with an external table that is mapped by one of its columns.
    init(mappedTable schema: String, key: String, rows: String = "") throws {
        directory = try TemporaryDirectory()
        url = directory.file("owner.sqlite")
        try Library.runElsewhere(schema + ";" + rows, path: url.path)
        let json = """
            [{"name": "Thing", "attributes": [{"name": "name", "type": "string", "isOptional": true}],
              "existingTable": {"name": "things", "primaryKey": "\(key)"}}]
            """
        container = try PersistentContainer(
            url: url, model: ManagedObjectModel(jsonText: json),
            options: StoreOptions(existingTables: .tracked))
        tables = [Table(name: "things", keys: [key])]
    }

    /// Runs SQL in another process. If a statement fails, the effects of the statements before it remain.
    @discardableResult
    func run(_ sql: String) -> String {
        (try? Library.output(of: sql, path: url.path)) ?? ""
    }

    /// Returns the version stamps of all tables, after stamping those that other programs made dirty.
    func states() throws -> [StoreState.Table] {
        let names = tables.map(\.name)
        if case .stamped(let state) = try container.state(of: names) { return state.tables }
        try container.repairTracking(of: names)
        guard case .stamped(let state) = try container.state(of: names) else { throw Dirty() }
        return state.tables
    }

    struct Dirty: Error {}

    private func columns(of table: Table) -> [Substring] {
        if let known = columns[table.name] { return known }
        let names = run("SELECT name FROM pragma_table_xinfo('\(table.name)')").split(separator: "\n")
        columns[table.name] = names
        return names
    }

    /// Returns the contents of a table: for each key, the row as the shell prints it.
    func contents(of table: Table) throws -> [[Int64]: String] {
        let values = columns(of: table).map { "quote(\"\($0)\")||typeof(\"\($0)\")" }
            .joined(separator: "||'|'||")
        let keys = table.keys.map { "\"\($0)\"" }.joined(separator: "||' '||")
        let text = run("SELECT \(keys) || '=' || replace(\(values), char(10), '/') FROM \"\(table.name)\"")
        return try text.split(separator: "\n").reduce(into: [:]) { rows, line in
            let parts = line.split(separator: "=", maxSplits: 1)
            rows[try parts[0].split(separator: " ").map { try #require(Int64($0)) }] = String(parts[1])
        }
    }

    /// Returns the keys of the rows that differ.
    static func changed(_ before: [[Int64]: String], _ after: [[Int64]: String]) -> Set<[Int64]> {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    }

    /// Returns the key of the artist of each song that has one; none in a store without songs.
    func artists() throws -> [Int64: Int64] {
        guard tables.contains(where: { $0.name == "Song" }) else { return [:] }
        let text = run("SELECT objectID || ' ' || artist FROM Song WHERE artist IS NOT NULL")
        return try text.split(separator: "\n").reduce(into: [:]) { artists, line in
            let keys = try line.split(separator: " ").map { try #require(Int64($0)) }
            artists[keys[0]] = keys[1]
        }
    }

    /// Returns the number of tag keys in the log.
    func numberOfLoggedTags() -> Int? {
        Int(
            run("SELECT count(*) FROM sc_log WHERE gen = (SELECT id FROM sc_gen WHERE tbl = 'Tag')")
                .trimmingCharacters(in: .newlines))
    }

    /// Returns the logged changes of a table, or nil if the changes are unknown.
    func logged(_ tableName: String, since earlier: [StoreState.Table]) throws -> TableRowChanges? {
        guard case .known(let changes) = try container.rowChanges(since: earlier) else { return nil }
        return changes.first { $0.tableName == tableName }
            ?? TableRowChanges(tableName: tableName, keys: [], otherKeys: [])
    }

    /// Returns the logged keys of a table, or nil if the changes are unknown.
    func loggedKeys(_ tableName: String, since earlier: [StoreState.Table]) throws -> [Int64]? {
        try logged(tableName, since: earlier)?.keys
    }

    /// Returns the reason why the changes are unknown, or nil if they are known.
    func reason(since earlier: [StoreState.Table]) throws -> String? {
        if case .unknown(let reason) = try container.rowChanges(since: earlier) { reason } else { nil }
    }
}

extension LoggedStore {
    /// Inserts songs 1 to `count` with their numbers, and three artists and tags.
    func fill(_ count: Int = 8) {
        run(
            """
            INSERT INTO Artist (name) VALUES ('Ada'), ('Bob'), ('Cy'); INSERT INTO Tag (name) VALUES ('old'), ('new'), ('loud');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Song (title, number, disc, place, rating, artist) SELECT 'song ' || i, i, 1, i, i / 2.0, i % 3 + 1 FROM n;
            INSERT INTO "Song.tags" SELECT objectID, objectID % 3 + 1 FROM Song WHERE objectID <= 8;
            INSERT INTO Media (".entity", title, code) VALUES ('Tune', 'x', 'a'), ('Film', 'y', 'b'), ('Tune', 'z', 'c')
            """)
    }
}

extension PersistentContainer {
    /// Returns the logged changes between earlier version stamps and now.
    func rowChanges(since earlier: [StoreState.Table]) throws -> RowChangesResult {
        let request = FetchRequest<ManagedObject>(entityName: model.entities[0].name).description
        return try newContext().withSnapshot(of: request, columns: .keys, includingPendingChanges: false) {
            try $0.rowChanges(since: earlier)
        }
    }
}
