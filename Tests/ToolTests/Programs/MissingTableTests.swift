import Foundation
import Testing

/// Stores in which another program renamed or dropped a table or a column of the model.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct MissingTableTests {
    @Test(arguments: [
        ("ALTER TABLE Book RENAME TO Buch", "language", "no table “Book” any more: another program renamed"),
        ("ALTER TABLE Book RENAME COLUMN year TO jahr", "year", "no column “year” in table “Book” any more"),
        ("ALTER TABLE Author RENAME COLUMN name TO nom", "author.name", "no column “name” in table “Author”"),
        ("DROP TABLE Author", "author.name", "no table “Author” any more"),
        (
            "ALTER TABLE Book RENAME COLUMN year TO jahr; DROP TABLE Author", "author.name",
            "no column “year” in table “Book” and table “Author” any more: another program renamed or dropped them."
        ),
    ])
    func `the browser names the missing part and the remedy`(sql: String, key: String, text: String) throws {
        let store = try BookStore()
        try ForeignWriter.run(sql, on: store.path)
        let run = try store.browse("--entity", "Book", "--group-by", key)
        run.expectRefusal(saying: "“\(store.path)”: ", text, "restore the store from a backup")
        #expect(!run.errors.contains("SELECT"), "\(run)")
    }

    @Test func `rows that lead to a missing table are a finding that names it`() throws {
        let store = try BookStore()
        try ForeignWriter.run("DROP TABLE Author", on: store.path)
        let run = try store.browse("--entity", "Book", "--columns", "title,author.name")
        #expect(run.status == 1 && run.output.contains("?"), "\(run)")
        #expect(run.errors.contains("no table “Author” any more") && !run.errors.contains("SELECT"), "\(run)")
    }

    @Test(arguments: [
        ("ALTER TABLE Book RENAME COLUMN year TO jahr", "no column “year” in table “Book” any more"),
        ("ALTER TABLE Book RENAME COLUMN id TO number", "no column “id” in table “Book” any more"),
        ("DROP TABLE Book", "no table “Book” any more"),
        ("DROP TABLE sc_gen", "no table “sc_gen” any more"),
        ("DROP TABLE sc_log", "no table “sc_log” any more"),
    ])
    func `an import names the missing part and the remedy`(sql: String, text: String) throws {
        let file = try LibraryImportFile("id,title,year\n1,One,1901\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try ForeignWriter.run(sql, on: file.storePath)
        try file.write("id,title,year\n1,One,1902\n2,Two,1902\n")
        let run = try file.run()
        run.expectRefusal(saying: "“\(file.storePath)”: The store has ", text, "Rename back what was renamed")
        for word in ["INSERT", "SELECT"] { #expect(!run.errors.contains(word), "\(run)") }
    }

    @Test func `adding an entity to a store with a missing table names that table`() throws {
        let file = try LibraryImportFile("id,title\n1,One\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try ForeignWriter.run("DROP TABLE Book", on: file.storePath)
        let run = try file.run(["--entity", "Film"])
        run.expectRefusal(saying: "no table “Book” any more")
        #expect(!run.errors.contains("CREATE"), "\(run)")
    }
}
