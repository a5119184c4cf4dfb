import Foundation
import SectionedFetch
import Testing

/// `library-import adopt`, on databases of other programs.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct AdoptTests {
    private let directory: ScratchDirectory
    private var path: String { directory.path("any.sqlite") }

    init() throws { directory = try ScratchDirectory() }

    private func adopt(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["adopt", path] + arguments)
    }

    private func browse(_ arguments: String...) throws -> ToolRun { try browse(arguments) }

    private func browse(_ arguments: [String]) throws -> ToolRun {
        try ToolProcess.run(
            "library-browser", [path, "--cache-directory", directory.path("caches")] + arguments)
    }

    private func dump() throws -> String {
        try ForeignWriter.run(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sc!_%' ESCAPE '!' AND name NOT LIKE '%autoindex!_sc!_%' ESCAPE '!' ORDER BY 1, 2",
            on: path)
    }

    @Test func `tracking ends as the article on external tables says, and leaves nothing`() throws {
        try DatabaseLayout.rails.make(at: path)
        func schema() throws -> String {
            try ForeignWriter.run("SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2", on: path)
        }
        let before = try schema()
        #expect(try adopt("--tracked").status == 0)
        try Data("title\nA\n".utf8).write(to: directory.file("posts.csv"))
        _ = try ToolProcess.run("library-import", [directory.path("posts.csv"), path, "--no-key"])
        let article = try RepositoryFile.text("Sources/SectionedFetch/Documentation.docc/ExternalTables.md")
        let paragraph = try #require(
            article.components(separatedBy: "\n\n").first { $0.hasPrefix("To stop tracking") })
        let triggers = try ForeignWriter.run(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'sc!_%' ESCAPE '!'", on: path
        ).split(separator: "\n")
        let tables = paragraph.matches(of: /`(sc_[a-z_]+)`/).map { String($0.output.1) }.filter {
            $0 != "sc_"
        }
        try ForeignWriter.run(
            (triggers.map { "DROP TRIGGER \"\($0)\";" } + tables.map { "DROP TABLE IF EXISTS \($0);" })
                .joined(separator: "\n"), on: path)
        #expect(try schema() == before)
        #expect(try adopt("--tracked").status == 0)
    }

    @Test func `tracking adds the model and enables the cache, and alters nothing else`() throws {
        try DatabaseLayout.rails.make(at: path)
        let before = try dump()
        let run = try adopt("--tracked")
        #expect(run.status == 0 && run.lines[0] == "\(path) is tracked: 3 entities.", "\(run)")
        let added = try ForeignWriter.run(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'sc!_%' ESCAPE '!' ORDER BY rowid",
            on: path
        ).split(separator: "\n").joined(separator: ", ")
        #expect(
            !added.isEmpty && run.lines[1].hasPrefix("Added: the tables \(added), and triggers"), "\(run)")
        #expect(
            run.output.contains("table “schema_migrations”: its key “version” is of type varchar"), "\(run)")
        #expect(try dump() == before)
        for lookup in ["miss", "hit"] {
            let list = try browse(
                "--entity", "posts", "--group-by", "person.name", "--cache", "posts", "--json"
            ).jsonObject()
            #expect((list["cache"] as? [String: Any])?["lookup"] as? String == lookup)
            #expect(list["numberOfRows"] as? Int == 3)
        }
        try ForeignWriter.run(
            "INSERT INTO posts (title, person_id, created_at) VALUES ('New', 2, '2024-03-01 00:00:00')",
            on: path)
        #expect(
            try browse("--entity", "posts", "--group-by", "person.name", "--json").jsonObject()[
                "numberOfRows"]
                as? Int == 4)
        // A program saves an object in the forms of the table.
        let container = try PersistentContainer(url: directory.file("any.sqlite"))
        let context = container.newContext()
        let post = try context.insert(entityNamed: "posts")
        try post.setValue("Saved", forProperty: "title")
        try post.setValue(.integer(0), forProperty: "views")
        try post.setValue(.real(86_400 + 0.25), forProperty: "created_at")
        try post.setRelatedObject(
            context.fetch(FetchRequest<ManagedObject>(entityName: "people")).first, forRelationship: "person")
        try context.save()
        #expect(
            try ForeignWriter.run(
                "SELECT title, created_at, person_id FROM posts ORDER BY id DESC LIMIT 1", on: path)
                == "Saved|2001-01-02 00:00:00.250000|1\n")
        try adopt("--tracked").expectRefusal(saying: "is tracked already")
    }

    @Test func `an untracked database is unchanged, and its model is a file for the other tools`() throws {
        try DatabaseLayout.django.make(at: path)
        let bytes = FileManager.default.contents(atPath: path)
        let run = try adopt("--untracked", "--json")
        let value = try run.jsonObject()
        #expect(value["isTracked"] as? Bool == false && value["model"] as? String == path + ".model.json")
        #expect(value["entities"] as? [String] == ["django_migrations", "library_author", "library_book"])
        #expect(FileManager.default.contents(atPath: path) == bytes)
        let list = try browse(
            "--model", path + ".model.json", "--entity", "library_book", "--group-by", "editor.name", "--json"
        )
        #expect(try list.jsonObject()["numberOfRows"] as? Int == 3 && list.errors == "", "\(list)")
        try adopt("--untracked").expectRefusal(saying: "exists. Pass another file with --model, or --force")
        #expect(try adopt("--untracked", "--force").status == 0)
        // An edited model renames an entity and leaves the others out.
        let model = try ManagedObjectModel(contentsOf: directory.file("any.sqlite.model.json"))
        let author = try #require(model.entity(named: "library_author"))
        let edited = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Author", attributes: author.attributes,
                existingTable: author.existingTable.map {
                    ExistingTable(
                        name: $0.name, primaryKey: $0.primaryKey, columns: $0.columns, forms: $0.forms)
                })
        ])
        try Data(edited.jsonText().utf8).write(to: directory.file("edited.json"))
        let tracked = try adopt("--tracked", "--using", directory.path("edited.json"))
        #expect(tracked.status == 0, "\(tracked)")
        #expect(try browse("--entity", "Author", "--json").jsonObject()["numberOfRows"] as? Int == 3)
        #expect(FileManager.default.contents(atPath: path) != bytes)
    }

    @Test func `--update adapts the model of a tracked database to its columns and tables`() throws {
        try ForeignWriter.run(
            """
            CREATE TABLE bird (id INTEGER PRIMARY KEY, name TEXT, old TEXT);
            CREATE TABLE gone (id INTEGER PRIMARY KEY, x TEXT);
            INSERT INTO bird VALUES (1, 'Robin', 'o'), (2, 'Wren', 'p')
            """, on: path)
        try adopt("--tracked", "--update").expectRefusal(saying: "is not tracked", "Leave out --update")
        #expect(try adopt("--tracked").status == 0)
        let list = ["--entity", "bird", "--sort", "name", "--cache", "birds"]
        func lookup() throws -> String {
            let run = try browse(list + ["--json"])
            let cache = try #require(try run.jsonObject()["cache"] as? [String: Any], "\(run)")
            return "\(cache["lookup"] ?? ""), \(cache["advancedRows"] ?? 0) rows"
        }
        _ = try lookup()
        #expect(try lookup() == "hit, 0 rows")
        try ForeignWriter.run(
            """
            ALTER TABLE bird ADD COLUMN weight REAL;
            ALTER TABLE bird DROP COLUMN old;
            UPDATE bird SET weight = 18.5 WHERE id = 1;
            DROP TABLE gone;
            CREATE TABLE ring (id INTEGER PRIMARY KEY, bird INTEGER REFERENCES bird (id));
            INSERT INTO ring VALUES (7, 1)
            """, on: path)
        try adopt("--tracked").expectRefusal(saying: "is tracked already", "--update")
        try ToolProcess.run("library-import", ["adopt", path, "--untracked", "--update"]).expectRefusal(
            status: 64, saying: "Pass --tracked")
        let run = try adopt("--tracked", "--update")
        #expect(run.status == 0 && run.lines[0] == "\(path) is tracked: 2 entities.", "\(run)")
        let birds = try browse("--entity", "bird", "--columns", "name,weight", "--format", "csv")
        #expect(birds.output == "name,weight\nRobin,18.5\nWren,\n", "\(birds)")
        let rings = try browse("--entity", "ring", "--columns", "bird.name", "--format", "csv")
        #expect(rings.output == "bird.name\nRobin\n", "\(rings)")
        try browse("--entity", "gone").expectRefusal(saying: "no entity “gone”")
        _ = try lookup()
        try ForeignWriter.run("UPDATE bird SET name = 'Dunnock' WHERE id = 2", on: path)
        #expect(try lookup() == "hit, 1 rows")
        #expect(try lookup() == "hit, 0 rows")
        // A model without a table ends its tracking, and a later one with it begins again.
        func triggersOfRings() throws -> Int {
            let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'ring'"
            return try #require(Int(ForeignWriter.run(sql, on: path).dropLast()))
        }
        let bird = EntityDescription(
            name: "bird", attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
            existingTable: ExistingTable(name: "bird", primaryKey: "id"))
        try Data(ManagedObjectModel(entities: [bird]).jsonText().utf8).write(to: directory.file("m.json"))
        #expect(try triggersOfRings() > 0)
        #expect(try adopt("--tracked", "--update", "--using", directory.path("m.json")).status == 0)
        #expect(try triggersOfRings() == 0)
        #expect(try adopt("--tracked", "--update").status == 0)
        #expect(try triggersOfRings() > 0)
        // The tables are again as before, in part.
        try ForeignWriter.run("ALTER TABLE bird DROP COLUMN weight; DROP TABLE ring", on: path)
        #expect(try adopt("--tracked", "--update").status == 0)
        #expect(
            try browse("--entity", "bird", "--sort", "name", "--format", "csv").output
                == "name\nDunnock\nRobin\n")
        let store = try BookStore()
        try ToolProcess.run("library-import", ["adopt", store.path, "--tracked", "--update"]).expectRefusal(
            saying: "is a store of this library")
    }

    @Test func `missing and impossible options are refused`() throws {
        try ForeignWriter.run("CREATE TABLE w (word TEXT PRIMARY KEY)", on: path)
        for arguments in [[], ["--tracked", "--untracked"]] {
            let run = try ToolProcess.run("library-import", ["adopt", path] + arguments)
            run.expectRefusal(status: 64, saying: "Choose --tracked")
        }
        try adopt("--tracked").expectRefusal(saying: "No table of “", "is of type TEXT")
        try ForeignWriter.run("CREATE TABLE Z_PRIMARYKEY (a); CREATE TABLE Z_METADATA (a)", on: path)
        try adopt("--tracked").expectRefusal(saying: "is a store of Core Data")
        try Data("no database".utf8).write(to: directory.file("text"))
        try ToolProcess.run("library-import", ["adopt", directory.path("text"), "--tracked"]).expectRefusal(
            saying: "is not an SQLite database")
        try ToolProcess.run("library-import", ["adopt", directory.path("none"), "--tracked"]).expectRefusal(
            saying: "There is no store at")
        let store = try BookStore()
        try ToolProcess.run("library-import", ["adopt", store.path, "--tracked"]).expectRefusal(
            saying: "is a store of this library")
    }
}
