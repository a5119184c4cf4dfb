import Foundation
import SectionedFetch
import Testing

/// The description of a store's entities, which is printed without `--entity`.
@Suite struct BrowserOverviewTests {
    private static let remedy = "Pass --entity NAME to list the objects of an entity."

    private func browse(_ path: String, _ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [path] + arguments)
    }

    @Test func `the entities of a store are described with the numbers of their objects`() throws {
        let store = try BookStore()
        let authors = Set(store.books.compactMap(\.author)).count
        let run = try store.browse()
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(
            run.lines == [
                "\(store.path): 3 entities", "", "Book  \(store.books.count)", "    title     string",
                "    language  string", "    year      integer32", "    rating    double",
                "    isRead    boolean", "    added     date", "    cover     binaryData",
                "    author    to one Author, inverse of books", "", "Author  \(authors)",
                "    name   string", "    books  to many Book, inverse of author", "", "Note  1",
                "    text  string", "", Self.remedy, "",
            ])
        let value = try store.browse("--json").jsonObject()
        let entities = try #require(value["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Book", "Author", "Note"])
        #expect(entities.map { $0["count"] as? Int } == [store.books.count, authors, 1])
        let relationship = (entities[1]["relationships"] as? [[String: Any]])?.first
        #expect(
            relationship?["destination"] as? String == "Book" && relationship?["isToMany"] as? Bool == true)
    }

    @Test func `an option of a request lists the first entity, and a note names the others`() throws {
        let store = try BookStore()
        let note =
            "library-browser: This is the list of “Book”, the first entity. Pass --entity for another one: “Author”, “Note”.\n"
        for arguments in [
            ["--where", "year>1900"], ["--sort", "title"], ["--group-by", "language"], ["--limit", "2"],
            ["--columns", "title"], ["--rows", "1"], ["--cache", "c"], ["--format", "csv"],
        ] {
            let run = try ToolProcess.run(
                "library-browser", [store.path, "--cache-directory", store.caches] + arguments)
            #expect(run.status == 0 && run.errors == note, "\(run)")
        }
        let named = try store.browse("--entity", "Author", "--rows", "1")
        #expect(named.errors == "" && named.lines[0].hasPrefix("Author by "), "\(named)")
    }

    @Test func `a store with one entity is listed, and its properties are named`() throws {
        let file = try LibraryImportFile("title,year\nA,1\nB,2\nC,\n")
        #expect(try file.run().status == 0)
        let run = try browse(file.storePath)
        #expect(
            Array(run.lines.prefix(5)) == [
                "Book by objectID, in one section: 3 rows",
                "Properties: title (string), year (integer64)",
                "    title  year", "    A         1", "    B         2",
            ], "\(run)")
        #expect(run.errors == "")
        #expect(try !browse(file.storePath, "--rows", "1").output.contains("Properties"))
    }

    @Test func `the objects of an entity are counted with and without those of its sub-entities`() throws {
        let directory = try ScratchDirectory()
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Work", attributes: [AttributeDescription(name: "title", type: .string)]),
            EntityDescription(
                name: "Print", parentName: "Work",
                attributes: [AttributeDescription(name: "edition", type: .integer16, isOptional: true)]),
        ])
        let container = try PersistentContainer(url: directory.file("works.store"), model: model)
        let context = container.newContext()
        for name in ["Work", "Work", "Print"] {
            try context.insert(entityNamed: name).setValue("T", forProperty: "title")
        }
        try context.save()
        let run = try browse(directory.path("works.store"))
        #expect(run.lines.contains("Work  3  2 without sub-entities"), "\(run)")
        #expect(run.lines.contains("Print  1  a kind of Work"), "\(run)")
        // A property is described with the entity that declares it.
        #expect(run.lines.count { $0.contains("title") } == 1, "\(run)")
        let moved = try ToolProcess.run(
            "library-import", ["--from", directory.path("works.store"), directory.path("new.store")])
        #expect(moved.lines.contains("    Work   2  without sub-entities"), "\(moved)")
        #expect(moved.lines.contains("    Print  1"), "\(moved)")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a tracked database is described like an untracked one`() throws {
        let directory = try ScratchDirectory()
        let path = directory.path("any.sqlite")
        try DatabaseLayout.rails.make(at: path)
        func headings() throws -> [String] {
            let run = try browse(path)
            #expect(run.status == 0 && run.output.contains(Self.remedy), "\(run)")
            return run.lines.filter { $0.contains(/^\w+  \d+/) && !$0.contains("read-only") }.sorted()
        }
        let untracked = try headings()
        #expect(try ToolProcess.run("library-import", ["adopt", path, "--tracked"]).status == 0)
        #expect(try headings() == untracked && untracked.count == 3)
        let run = try browse(path)
        #expect(run.lines.contains { $0.contains("to one people, from “person_id”") }, "\(run)")
        #expect(!run.output.contains("sc_"), "\(run)")
    }
}
