import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// Surveys of databases with unusual names, of damaged files, and of schemas with side effects.
@Suite struct HostileSurveyTests {
    private func names(_ survey: DatabaseSurvey) -> [String] { survey.model.entities.map(\.name) }

    private func open(_ survey: DatabaseSurvey, _ url: URL) throws -> PersistentContainer {
        try PersistentContainer(
            url: url, model: survey.model,
            options: StoreOptions(isReadOnly: true, existingTables: .untracked))
    }

    /// Names of tables and columns with the characters that SQL and key paths treat specially.
    private static let oddNames = [
        "select", "a.b", "a_b", "x\"y", "x'y", "x`y", "[z]", "two words", " ", "", "🎵", "é", "e\u{301}",
        "rowid",
        "objectID", "OID", "description", "entity", "a@b", "a;b", "--", "/*", "%s", "new\nline", "a:b", "a,b",
        "-n",
        String(repeating: "long", count: 60), String(repeating: "ö", count: 100),
    ]

    @Test func `tables and columns of any name are read, each by its own name`() throws {
        func quoted(_ name: String) -> String {
            "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
        // SQLite allows a table without a name only if it is quoted.
        var statements: [String] = []
        for (position, name) in Self.oddNames.enumerated() {
            statements.append(
                "CREATE TABLE \(quoted("t" + name)) (key INTEGER PRIMARY KEY, \(quoted(name)) TEXT)")
            statements.append("INSERT INTO \(quoted("t" + name)) VALUES (\(position), 'v\(position)')")
        }
        let columns = Self.oddNames.map { "\(quoted($0)) TEXT" }.joined(separator: ", ")
        statements.append("CREATE TABLE \(quoted("all.of them")) (key INTEGER PRIMARY KEY, \(columns))")
        let values = Self.oddNames.indices.map { "'w\($0)'" }.joined(separator: ", ")
        statements.append("INSERT INTO \(quoted("all.of them")) VALUES (7, \(values))")
        let owner = try Chinook(schema: statements.joined(separator: ";\n") + ";", rows: "")
        let survey = try DatabaseSurvey(of: owner.url)
        // Swift's strings with é as one and as two characters are equal, and only the first name is taken.
        #expect(survey.model.entities.count == Self.oddNames.count)
        #expect(
            survey.tables.last?.columns.count { if case .notTaken = $0.role { true } else { false } } == 1)
        let context = try open(survey, owner.url).newContext()
        for entity in survey.model.entities {
            let table = try #require(survey.table(ofEntityNamed: entity.name))
            let object = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: entity.name,
                        sortDescriptors: [.ascending(.path(entity.attributes[0].name))])
                ).first)
            for column in table.columns {
                guard case .attribute(let name, .string) = column.role else { continue }
                let position = try #require(
                    Self.oddNames.firstIndex { $0.utf8.elementsEqual(column.name.utf8) })
                let prefix = table.name == "all.of them" ? "w" : "v"
                #expect(try object.value(forProperty: name) == .text("\(prefix)\(position)"), "\(column)")
                #expect(!name.contains(".") && name.utf8.count <= 128 && !name.isEmpty)
            }
        }
        // The model keeps its names as JSON.
        let text = try survey.model.jsonText()
        #expect(try ManagedObjectModel(jsonText: text).versionDigest == survey.model.versionDigest)
    }

    @Test func `virtual tables, views and triggers are neither read nor run`() throws {
        let owner = try Chinook(
            schema: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT);
                CREATE VIRTUAL TABLE docs USING fts5(title);
                CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
                CREATE TABLE docs_notes (id INTEGER PRIMARY KEY, note TEXT);
                CREATE VIEW v AS SELECT no_such_function(n) FROM no_such_table;
                CREATE TRIGGER i AFTER INSERT ON t BEGIN SELECT no_such_function(1); END;
                CREATE TABLE g (id INTEGER PRIMARY KEY, a, c AS (a + 1) STORED);
                CREATE TABLE checked (id INTEGER PRIMARY KEY, a CHECK (a IS NOT 5));
                """,
            rows: """
                INSERT INTO docs VALUES ('x'); INSERT INTO g VALUES (1, 2), (2, 'text'), (3, -9223372036854775808);
                ALTER TABLE g ADD COLUMN b AS (abs(a));
                """)
        let survey = try DatabaseSurvey(of: owner.url)
        #expect(names(survey) == ["t", "docs_notes", "g", "checked"])
        let kinds = Dictionary(grouping: survey.tables, by: \.kind).mapValues(\.count)
        #expect(kinds[.virtualTable] == 2 && kinds[.view] == 1 && kinds[.shadowTable] == 8)
        // abs() of the smallest integer fails, which affects only its column.
        let column = try #require(survey.table(ofEntityNamed: "g")?.columns.first { $0.name == "b" })
        guard case .notTaken(let reason) = column.role else {
            Issue.record("\(column)")
            return
        }
        #expect(reason.contains("overflow"))
        let objects = try open(survey, owner.url).newContext().fetch(
            FetchRequest<ManagedObject>(entityName: "g", sortDescriptors: [.ascending("objectID")]))
        #expect(try objects.map { try $0.value(forProperty: "c") }.first == 3)
    }

    @Test func `a damaged table is refused, and the others are listed`() throws {
        let rows = (1...400).map { "(\($0), '\(String(repeating: "x", count: 90))')" }.joined(separator: ", ")
        let owner = try Chinook(
            schema:
                "CREATE TABLE good (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE bad (id INTEGER PRIMARY KEY, n TEXT);",
            rows: "INSERT INTO good VALUES \(rows); INSERT INTO bad VALUES \(rows);")
        let page = try #require(
            Int(try owner.sqlite("SELECT rootpage FROM sqlite_schema WHERE name = 'bad'")))
        var bytes = try Data(contentsOf: owner.url)
        let size = try #require(Int(try owner.sqlite("PRAGMA page_size")))
        for position in (page - 1) * size..<page * size { bytes[position] = 0xA5 }
        try bytes.write(to: owner.url)
        let survey = try DatabaseSurvey(of: owner.url)
        #expect(names(survey) == ["good"])
        guard case .notTaken(let reason, _)? = survey.tables.last?.role else {
            Issue.record("\(survey.tables)")
            return
        }
        #expect(reason.contains("malformed") && survey.tables.last?.name == "bad")
        #expect(
            try open(survey, owner.url).newContext().count(
                for: FetchRequest<ManagedObject>(entityName: "good")) == 400)
        let error = #expect(throws: ObjectStorageError.self) {
            try DatabaseSurvey(of: owner.url, options: StoreOptions(isUntrusted: true))
        }
        #expect(error?.code == .notADatabase)
    }

    @Test func `files that are not databases are typed errors`() throws {
        let directory = try TemporaryDirectory()
        func code(_ url: URL) -> ObjectStorageError.Code? {
            #expect(throws: ObjectStorageError.self) { try DatabaseSurvey(of: url) }?.code
        }
        #expect(code(directory.file("missing")) == .storeMissing)
        #expect(code(directory.url) == .storeIsDirectory)
        var generator = SeededGenerator(seed: 1)
        try Data(generator.bytes(8_192)).write(to: directory.file("encrypted"))
        #expect(code(directory.file("encrypted")) == .notADatabase)
        try Data("title,year\n".utf8).write(to: directory.file("text"))
        #expect(code(directory.file("text")) == .notADatabase)
        try Data().write(to: directory.file("empty"))
        let empty = try DatabaseSurvey(of: directory.file("empty"))
        #expect(empty.kind == .empty && empty.tables.isEmpty && empty.model.entities.isEmpty)
        #expect(try Data(contentsOf: directory.file("empty")).isEmpty)
    }

    @Test func `the tables of a database determine its kind`() throws {
        func kind(_ schema: String) throws -> DatabaseSurvey.Kind {
            let owner = try Chinook(schema: schema, rows: "")
            let kind = try DatabaseSurvey.kind(of: owner.url)
            #expect(try DatabaseSurvey(of: owner.url).kind == kind)
            return kind
        }
        #expect(try kind("CREATE TABLE t (a);") == .other)
        #expect(try kind("CREATE VIEW v AS SELECT 1;") == .other)
        #expect(try kind("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE t;") == .empty)
        #expect(
            try kind("CREATE TABLE Z_PRIMARYKEY (Z_ENT); CREATE TABLE Z_METADATA (Z_VERSION);")
                == .coreDataStore)
        let owner = try Chinook()
        _ = try owner.open(.tracked)
        #expect(try DatabaseSurvey.kind(of: owner.url) == .store)
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `neither a survey nor reading changes a file or leaves one behind`(mode: String) throws {
        let owner = try Chinook()
        try owner.sqlite("PRAGMA journal_mode = \(mode)")
        func files() throws -> [String: Data] {
            try FileManager.default.contentsOfDirectory(atPath: owner.directory.url.path).reduce(into: [:]) {
                $0[$1] = FileManager.default.contents(atPath: owner.directory.file($1).path)
            }
        }
        let before = try files()
        for options in [StoreOptions(), StoreOptions(isUntrusted: true)] {
            let survey = try DatabaseSurvey(of: owner.url, options: options)
            do {
                let context = try open(survey, owner.url).newContext()
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "tracks")) == 3)
                let track = try #require(
                    try context.fetch(
                        FetchRequest<ManagedObject>(
                            entityName: "tracks", sortDescriptors: [.ascending("Album.Title")])
                    ).last)
                try track.setValue("other", forProperty: "Name")
                let error = #expect(throws: ObjectStorageError.self) { try context.save() }
                #expect(error?.code == .storeReadOnly)
            }
            #expect(try files() == before)
        }
    }

    @Test func `a log that a killed program left is read, and is not checkpointed`() throws {
        let owner = try Chinook()
        try owner.sqlite("PRAGMA journal_mode = WAL")
        // A killed program leaves the files as they are while a connection is open.
        let copy = try TemporaryDirectory()
        let queue = try DatabaseQueue(path: owner.url.path)
        try queue.write { try $0.execute(sql: "INSERT INTO playlists VALUES (9, 'Late')") }
        for ending in ["", "-wal"] {
            let name = owner.url.lastPathComponent + ending
            try FileManager.default.copyItem(at: owner.directory.file(name), to: copy.file(name))
        }
        try queue.close()
        let url = copy.file(owner.url.lastPathComponent)
        let log = url.path + "-wal"
        let (file, text) = (try Data(contentsOf: url), FileManager.default.contents(atPath: log))
        try #require((text?.count ?? 0) > 0)
        let survey = try DatabaseSurvey(of: url)
        #expect(
            try open(survey, url).newContext().count(
                for: FetchRequest<ManagedObject>(entityName: "playlists")) == 3)
        #expect(try Data(contentsOf: url) == file)
        #expect(FileManager.default.contents(atPath: log) == text)
    }

    @Test func `a transaction that was interrupted is rolled back in a copy only`() throws {
        let owner = try Chinook()
        let copy = try TemporaryDirectory()
        let queue = try DatabaseQueue(path: owner.url.path)
        try queue.writeWithoutTransaction { database in
            // A small cache writes pages to the file before the commit, beside a journal.
            try database.execute(sql: "PRAGMA cache_size = 2; BEGIN")
            for number in 100..<400 {
                try database.execute(
                    sql: "INSERT INTO artists VALUES (?, ?)",
                    arguments: [number, String(repeating: "x", count: 200)])
            }
            for ending in ["", "-journal"] {
                let name = owner.url.lastPathComponent + ending
                try FileManager.default.copyItem(at: owner.directory.file(name), to: copy.file(name))
            }
            try database.execute(sql: "ROLLBACK")
        }
        try queue.close()
        let url = copy.file(owner.url.lastPathComponent)
        let before = try ["", "-journal"].map { try Data(contentsOf: URL(filePath: url.path + $0)) }
        #expect(try DatabaseSurvey.kind(of: url) == .other)
        let survey = try DatabaseSurvey(of: url)
        let artists = try #require(survey.tables.first { $0.name == "artists" })
        #expect(try ["", "-journal"].map { try Data(contentsOf: URL(filePath: url.path + $0)) } == before)
        // The shell rolls the transaction back in the file.
        let count = try Library.output(of: "SELECT count(*) FROM artists", path: url.path)
        #expect(artists.examinedRowCount == Int(count.trimmingCharacters(in: .newlines)))
        #expect(survey.model.entities.count == 4)
    }

    @Test func `a reader without locks leaves the locks of other connections`() throws {
        let owner = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        let (source, copy) = (owner.file("source.db"), other.file("copy.db"))
        do {
            let queue = try DatabaseQueue(path: source.path)
            try queue.writeWithoutTransaction { database in
                try database.execute(
                    sql:
                        "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)"
                )
            }
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: source.path + ending, toPath: copy.path + ending)
            }
        }
        let writer: DatabaseQueue
        do {
            let model = try DatabaseSurvey(of: copy).model
            var options = StoreOptions(isReadOnly: true, existingTables: .untracked)
            options.preservesFiles = true
            let context = try PersistentContainer(url: copy, model: model, options: options).newContext()
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "t")) == 1)
            writer = try DatabaseQueue(path: copy.path)
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            #expect(throws: ObjectStorageError.self) {
                try context.count(for: FetchRequest<ManagedObject>(entityName: "t"))
            }
        }
        // The last program that closes the store deletes the log.
        #expect(try Library.output(of: "SELECT count(*) FROM t", path: copy.path) == "2\n")
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try Library.output(of: "SELECT count(*) FROM t", path: copy.path) == "3\n")
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
    }
}
