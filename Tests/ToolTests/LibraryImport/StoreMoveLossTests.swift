import Foundation
import Testing

/// Contents that `library-import --from` cannot move, conversions, and the rules that it reports, on
/// databases of other programs. The numbers come from the other program's SQL.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct StoreMoveLossTests {
    private let directory: ScratchDirectory
    private var source: String { directory.path("any.sqlite") }
    private var new: String { directory.path("new.store") }

    init() throws { directory = try ScratchDirectory() }

    private func make(_ sql: String) throws { try ForeignWriter.run(sql, on: source) }

    private func move(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["--from", source, new] + arguments)
    }

    /// Moves the store, and returns the report in JSON.
    private func report(status: Int32, losses: Int, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> [String: Any]
    {
        let run = try move("--json")
        #expect(run.status == status, "\(run)", sourceLocation: sourceLocation)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
            sourceLocation: sourceLocation)
        #expect(report["numberOfLosses"] as? Int == losses, "\(run)", sourceLocation: sourceLocation)
        #expect(report["isComplete"] as? Bool == true, "\(run)", sourceLocation: sourceLocation)
        return report
    }

    private func losses(of report: [String: Any]) throws -> [String] {
        try #require(report["losses"] as? [[String: Any]]).map { loss in
            let key = (loss["key"] as? Int).map { " \($0)" } ?? ""
            let property = (loss["property"] as? String).map { " \($0)" } ?? ""
            return "\(loss["entity"] ?? "")\(key)\(property): \(loss["source"] ?? "")"
        }
    }

    @Test(arguments: ["--from", "export"])
    func `tables and columns that another program added to a store are lost contents`(
        command: String
    ) throws {
        let file = directory.path("Species.csv")
        try Data("id,name\n1,a\n2,b\n3,c\n".utf8).write(to: URL(filePath: file))
        #expect(try ToolProcess.run("library-import", [file, source]).status == 0)
        func run(to target: String) throws -> ToolRun {
            try ToolProcess.run("library-import", [command, source, directory.path(target)])
        }
        #expect(try run(to: "whole").status == 0)
        try make(
            """
            ALTER TABLE Species ADD COLUMN red TEXT;
            ALTER TABLE Species ADD COLUMN empty;
            UPDATE Species SET red = 'VU' WHERE id < 3;
            CREATE TABLE extra (x);
            INSERT INTO extra VALUES (1), (NULL);
            CREATE TABLE none (x);
            CREATE VIRTUAL TABLE texts USING fts5 (body);
            INSERT INTO texts VALUES ('one'), ('two'), ('three')
            """)
        let lossy = try run(to: "lossy")
        #expect(lossy.status == 1, "\(lossy)")
        for loss in ["“Species”, red: 2 values", "“extra”: 2 rows", "“texts_content”: 3 rows"] {
            #expect(lossy.output.contains("table \(loss)"), "\(lossy)")
        }
        for part in ["“Species”, column “empty”", "“none”"] {
            #expect(lossy.output.contains("table \(part): it is not part of the model"), "\(lossy)")
        }
        #expect(!lossy.output.contains("sc_") && !lossy.output.contains("texts_idx"), "\(lossy)")
    }

    @Test func `a table with a damaged page ends the move, and nothing is made`() throws {
        try make(
            """
            CREATE TABLE good (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE bad (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO good VALUES (1, 'a'), (2, 'b');
            INSERT INTO bad VALUES (1, 'c'), (2, 'd')
            """)
        let numbers = try ForeignWriter.run(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'bad'; PRAGMA page_size", on: source)
        let lines = numbers.split(separator: "\n").compactMap { UInt64($0) }
        let handle = try FileHandle(forWritingTo: URL(filePath: source))
        try handle.seek(toOffset: (lines[0] - 1) * lines[1])
        try handle.write(contentsOf: Data(repeating: 0xFF, count: Int(lines[1])))
        try handle.close()
        try move().expectRefusal(saying: "The table “bad”", "cannot be read", "Nothing was moved")
        #expect(!FileManager.default.fileExists(atPath: new))
    }

    @Test func `tables and columns that cannot be moved are lost contents`() throws {
        try make(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, note TEXT);
            INSERT INTO item VALUES (1, 'a', 1, 'x'), (2, x'00ff', x'01', NULL), (3, NULL, NULL, 'y');
            CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
            INSERT INTO word VALUES ('a', 1), ('b', 2), ('c', 3);
            CREATE TABLE sc_notes (id INTEGER PRIMARY KEY, text TEXT);
            INSERT INTO sc_notes VALUES (1, 'n');
            CREATE TABLE vacant (word TEXT PRIMARY KEY) WITHOUT ROWID
            """)
        let expected = try ForeignWriter.run(
            """
            SELECT count(name) + count(size) FROM item;
            SELECT count(*) FROM word; SELECT count(*) FROM sc_notes
            """, on: source)
        #expect(expected == "4\n3\n1\n")
        let report = try report(status: 1, losses: 4 + 3 + 1)
        #expect(
            try losses(of: report).sorted() == [
                "table “item” name: 2 values", "table “item” size: 2 values", "table “sc_notes”: 1 row",
                "table “word”: 3 rows",
            ])
        let notes = try #require(report["notMoved"] as? [String])
        #expect(notes.count == 1 && notes[0].contains("table “vacant”") && notes[0].contains("(0 rows)"))
        let run = try move()
        #expect(run.status == 1, "\(run)")
        #expect(run.output.contains("all moved contents are equal in both, and 8 are lost."), "\(run)")
        #expect(run.output.contains("Contents that the new store cannot have:"), "\(run)")
        #expect(try ForeignWriter.run("SELECT objectID, note FROM item", on: new) == "1|x\n2|\n3|y\n")
    }

    @Test(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
    func `parts of a model that hold no data are notes, and not losses`() throws {
        let place = try ScratchDirectory()
        let path = try CoreDataSamples.copy("duckduckgo-bookmarks/Bookmarks_V5.sqlite", to: place)
        let shown = try ToolProcess.run("model-tool", ["show", path, "--json"]).jsonObject()
        let parts = try #require(shown["unsupportedParts"] as? [[String: Any]])
        let modifiers = parts.count { $0["kind"] as? String == "versionHashModifier" }
        let run = try ToolProcess.run("library-import", ["--from", path, new])
        #expect(run.status == 0, "\(run)")
        let beginning = try #require(run.lines.firstIndex { $0.hasPrefix("Notes, on parts of the model") })
        #expect(modifiers > 0 && run.lines.count { $0.contains("modifier") } == modifiers, "\(run)")
        #expect(!run.lines[..<beginning].contains { $0.contains("modifier") }, "\(run)")
        let report = try ToolProcess.run("library-import", ["--from", path, new, "--json"]).jsonObject()
        #expect((report["notes"] as? [String])?.count { $0.contains("modifier") } == modifiers)
        #expect((report["notMoved"] as? [String])?.contains { $0.contains("modifier") } == false)
    }

    @Test func `the rows of a virtual table are lost, and its other tables are not counted`() throws {
        try make(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a');
            CREATE VIRTUAL TABLE docs USING fts5(title); INSERT INTO docs VALUES ('x'), ('y')
            """)
        let report = try report(status: 1, losses: 2)
        #expect(try losses(of: report) == ["table “docs_content”: 2 rows"])
        let notes = try #require(report["notMoved"] as? [String])
        #expect(notes.count == 1 && notes[0].hasPrefix("virtual table “docs”"), "\(notes)")
    }

    @Test func `a generated column whose expression fails is not moved, and nothing is lost`() throws {
        try make(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, size INTEGER);
            INSERT INTO item VALUES (1, -9223372036854775808);
            ALTER TABLE item ADD COLUMN bad AS (abs(size))
            """)
        let notes = try report(status: 0, losses: 0)["notMoved"] as? [String]
        #expect(
            notes?.count == 2 && notes?[0].contains("column “bad”: integer overflow") == true,
            "\(notes ?? [])")
    }

    @Test func `a database of which no table can be moved is refused with the reasons`() throws {
        try make("CREATE TABLE word (word TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO word VALUES ('a')")
        try move().expectRefusal(saying: "can be an entity", "“word”", "of type TEXT")
    }

    @Test func `every row of a table of pairs is moved or lost`() throws {
        try make(
            """
            CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE book_tag (book INTEGER REFERENCES book (id), tag INTEGER REFERENCES tag (id), PRIMARY KEY (book, tag));
            INSERT INTO book VALUES (1, 'a'), (2, 'b');
            INSERT INTO tag VALUES (1, 'x'), (2, 'y');
            INSERT INTO book_tag VALUES (1, 1), (1, 2), (2, 9), (NULL, 1), (NULL, 1), (2, NULL), (NULL, NULL)
            """)
        let total = Int(try ForeignWriter.run("SELECT count(*) FROM book_tag", on: source).dropLast()) ?? 0
        let report = try report(status: 1, losses: 5)
        #expect(
            try losses(of: report).sorted() == ["book 2 tag: object 9", "book tag: 4 rows of “book_tag”"])
        let moved = Int(try ForeignWriter.run("SELECT count(*) FROM `book.tag`", on: new).dropLast()) ?? 0
        #expect(moved == 2 && total == moved + 5)
    }

    @Test func `values that do not come back from a conversion are lost, and conversions are listed`() throws
    {
        try make(
            """
            CREATE TABLE day (id INTEGER PRIMARY KEY, at DATETIME, zoned TEXT, day DATE, uuid UUID, code, price NUMERIC);
            INSERT INTO day VALUES
                (1, '2020-01-01 12:34:56', '2020-01-01T12:34:56Z', '2020-02-29', '550E8400-E29B-41D4-A716-446655440000', 1, 2),
                (2, '2020-01-01 12:34:56.123456789', '2020-01-01T12:34:56.100+02:00', '0001-01-01', '550e8400-e29b-41d4-a716-446655440001', 'a', 1.5),
                (3, '2020-01-01 12:34:56.1200', '2020-01-01T12:34:56.5Z', NULL, NULL, 2.5, NULL),
                (4, '2020-01-01 12:34', '2020-01-01T12:34:56+00:00', '9999-12-31', NULL, NULL, -3)
            """)
        let report = try report(status: 1, losses: 2)
        #expect(
            try losses(of: report).sorted() == [
                "day 2 at: “2020-01-01 12:34:56.123456789”", "day 2 zoned: “2020-01-01T12:34:56.100+02:00”",
            ])
        let conversions = try #require(report["conversions"] as? [String])
        #expect(
            conversions == [
                "“day.at”: dates, because all 4 values are texts such as “2020-01-01 12:34:56”, read as UTC",
                "“day.zoned”: dates, because all 4 values are texts such as “2020-01-01T12:34:56Z”",
                "“day.day”: dates, because all 3 values are texts such as “2020-02-29”, read as UTC",
                "“day.uuid”: texts, stored as uuid",
                "“day.code”: texts, of which 2 of 3 are stored as numbers",
            ])
        let run = try move()
        #expect(run.output.contains("Conversions:\n    “day.at”: dates"), "\(run)")
        #expect(
            run.output.contains("converted back, the value is “2020-01-01 12:34:56.123457”"), "\(run)")
    }

    @Test func `rules and indexes of the schema that the new store does not have are listed`() throws {
        try make(
            """
            CREATE TABLE a (
                id INTEGER PRIMARY KEY, -- CHECK in a comment
                name TEXT NOT NULL CHECK (length(name) < 50) COLLATE NOCASE UNIQUE,
                "COLLATE" TEXT DEFAULT 'CHECK', size INTEGER CHECK (size >= 0) /* COLLATE RTRIM */,
                double INTEGER GENERATED ALWAYS AS (size * 2) STORED, code TEXT UNIQUE);
            CREATE INDEX plain ON a (size, code);
            CREATE INDEX partial ON a (size) WHERE size > 1;
            CREATE INDEX expression ON a (lower(code));
            CREATE UNIQUE INDEX some ON a (size) WHERE size > 1;
            CREATE UNIQUE INDEX pair ON a (size, code);
            CREATE TRIGGER change AFTER UPDATE ON a BEGIN SELECT 1; END;
            INSERT INTO a (id, name, size) VALUES (1, 'x', 4)
            """)
        let report = try report(status: 0, losses: 0)
        #expect(
            report["notMoved"] as? [String] == [
                "table “a”: 2 CHECK constraints", "table “a”: the collation NOCASE of a column",
                "table “a”: the expression of the generated column “double”",
                "table “a”: uniqueness constraint of name COLLATE NOCASE",
                "table “a”: index “plain” of size, code",
                "table “a”: index “partial” of size, with a condition",
                "table “a”: index “expression” of an expression",
                "table “a”: unique index “some” of size, with a condition", "table “a”: trigger “change”",
            ])
        #expect(try ForeignWriter.run("SELECT double FROM a", on: new) == "8\n")
    }

    @Test func `tables named as those of a history are plain tables`() throws {
        try make(
            """
            CREATE TABLE ATRANSACTION (id INTEGER PRIMARY KEY, v TEXT);
            INSERT INTO ATRANSACTION VALUES (1, 'a'), (2, 'b')
            """)
        let run = try move()
        #expect(run.status == 0 && !run.output.contains("history"), "\(run)")
        #expect(try ForeignWriter.run("SELECT count(*) FROM ATRANSACTION", on: new) == "2\n")
    }
}
