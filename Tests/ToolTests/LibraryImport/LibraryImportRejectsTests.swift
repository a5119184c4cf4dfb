import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// `--rejects`: the file of the rejected records, and the report of bad rows on the screen.
@Suite struct LibraryImportRejectsTests {
    private static let types = ["--type", "year=integer16", "--key", "id"]

    private func text(_ file: LibraryImportFile, _ name: String) throws -> String {
        try String(contentsOf: file.directory.file(name), encoding: .utf8)
    }

    private func exists(_ file: LibraryImportFile, _ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file.directory.path(name))
    }

    @Test func `rejected rows of CSV are written as they are, with their places and reasons`() throws {
        let file = try LibraryImportFile(
            "id,title,year\n1,One,1901\n2,\"a\nb\",x\n3,c,1,2\n4,\"d\"e,4\n5,f,5\n1,g,1\r\n6,h,y")
        let rejects = file.directory.path("bad.csv")
        let run = try file.run(Self.types + ["--rejects", rejects])
        #expect(run.status == 1, "\(run)")
        #expect(
            try text(file, "bad.csv") == "id,title,year\n2,\"a\nb\",x\n3,c,1,2\n4,\"d\"e,4\n6,h,y\n")
        #expect(
            try text(file, "bad.csv.reasons.csv") == """
                number,rejected_line,line,column,name,reason
                1,2,3,3,year,“x” is not a valid integer16
                2,4,5,,,"has 4 fields, the header 3"
                3,5,6,2,title,text follows the closing quote of a field
                4,6,9,3,year,“y” is not a valid integer16

                """)
        #expect(run.errors.contains("4 rejected records in “\(rejects)”"), "\(run)")
        #expect(run.errors.contains("--entity Book"), "\(run)")
    }

    @Test(
        arguments: [
            ("book.csv", "id,title,year\n1,a,1\n2,b,x\n3,c,3\n", []),
            (
                "book.csv", "junk\n;\nid;title;year\n1;a;1\n2;b;x\n3;c;3\ntotal\n",
                ["--skip-lines", "2", "--skip-footer", "1"]
            ),
            ("book.csv", "sep=|\nid|title|year\n1|a|1\n2|b|x\n3|c|3\n", []),
            ("book.csv", "1,a,1\n2,b,x\n3,c,3\n", ["--no-header", "--columns", "id,title,year"]),
            (
                "book.jsonl",
                "{\"id\": 1, \"title\": \"a\", \"year\": \"1\"}\n{\"id\": 2, \"title\": \"b\", \"year\": \"x\"}\n",
                []
            ),
            (
                "book.json",
                "[{\"id\": 1, \"title\": \"a\", \"year\": 1},\n {\"id\": 2,\n \"title\": \"b\", \"year\": \"x\"}]",
                []
            ),
            (
                "book.json",
                "{\"n\": 2, \"a b\": {\"items\": [{\"id\": 1, \"title\": \"a\", \"year\": 1}, {\"id\": 2, \"title\": \"b\", \"year\": \"x\"}]}}",
                ["--at", "a b.items"]
            ),
        ])
    func `the mended file is imported alone with the same options`(
        name: String, content: String, options: [String]
    ) throws {
        let file = try LibraryImportFile(name, content)
        let options = options + ["--type", "year=integer64", "--key", "id"]
        let rejects = file.directory.path("bad.txt")
        let run = try file.run(options + ["--rejects", rejects])
        #expect(run.status == 1, "\(run)")
        let count = try file.rows("Book", ["id"]).count
        let mended = try text(file, "bad.txt").replacing("x", with: "1902").replacing(
            "\"1902\"", with: "1902")
        try Data(mended.utf8).write(to: file.directory.file("bad.txt"))
        let second = try ToolProcess.run(
            "library-import", [rejects, file.storePath, "--entity", "Book"] + options)
        #expect(second.status == 0 && second.output.hasPrefix("1 inserted, 0 updated"), "\(second)")
        #expect(try file.rows("Book", ["id", "title", "year"]).last == [2, "b", 1902])
        #expect(try file.rows("Book", ["id"]).count == count + 1)
    }

    @Test func `rejected values and broken objects of JSON are kept as texts`() throws {
        let file = try LibraryImportFile(
            "book.json",
            "[{\"id\": 1}, 5, {\"id\": tru, \"t\": [1, 2]}, [3],\n{\"id\": 2}, {\"id\": 3, \"id\": 3}]")
        let run = try file.run(["--rejects", file.directory.path("bad.json")])
        #expect(run.status == 1, "\(run)")
        #expect(
            try text(file, "bad.json")
                == "[\n5,\n{\"id\": tru, \"t\": [1, 2]},\n[3],\n{\"id\": 3, \"id\": 3}\n]\n")
    }

    @Test func `the rejects of a file in another encoding are in that encoding`() throws {
        let file = try LibraryImportFile("")
        let content = "id,title,year\n1,Käse,1\n2,Bär,x\n"
        try #require(content.data(using: .isoLatin1)).write(to: file.directory.file("book.csv"))
        let rejects = file.directory.path("bad.csv")
        #expect(
            try file.run(Self.types + ["--encoding", "ISO-8859-1", "--rejects", rejects]).status == 1)
        #expect(
            try Data(contentsOf: URL(filePath: rejects))
                == "id,title,year\n2,Bär,x\n".data(using: .isoLatin1))
    }

    @Test func `rows that the store refuses are rejected with their texts`() throws {
        let file = try LibraryImportFile("id,isbn\n1,a\n2,b\n")
        let book = EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "id", type: .integer64),
                AttributeDescription(name: "isbn", type: .string, isUnique: true),
            ], relationships: [])
        _ = try PersistentContainer(
            url: file.directory.file("library.store"), model: ManagedObjectModel(entities: [book]))
        try file.write("id,isbn\n1,a\n2,b\n3,a\n4,c\n")
        let run = try file.run(["--no-key", "--rejects", file.directory.path("bad.csv")])
        #expect(run.status == 1, "\(run)")
        #expect(try text(file, "bad.csv") == "id,isbn\n3,a\n")
    }

    @Test func `of many bad rows twenty are on the screen, all are counted, and all are in the file`() throws
    {
        var csv = "id,title,year\n"
        var expected = "id,title,year\n"
        for id in 1...30_000 {
            let isBad = id.isMultiple(of: 7)
            let row =
                "\(id),t,\(isBad ? (id.isMultiple(of: 2) ? "x\(id)" : "") : "1")\(id % 1_001 == 0 ? ",9" : "")\n"
            csv += row
            if isBad && id.isMultiple(of: 2) || id % 1_001 == 0 { expected += row }
        }
        let file = try LibraryImportFile(csv)
        let run = try file.run(Self.types + ["--rejects", file.directory.path("bad.csv"), "--batch", "999"])
        #expect(try text(file, "bad.csv") == expected)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix(file.path) }.count == 20)
        let wide = (1...30_000).filter { $0 % 1_001 == 0 }.count
        let bad = (1...30_000).filter { $0 % 14 == 0 && $0 % 1_001 != 0 }.count
        #expect(run.errors.contains("\(wide) rows with 4 fields instead of 3"), "\(run.errors)")
        let count = bad.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(
            run.errors.contains("\(count) bad rows, of which")
                && run.errors.contains("“year”: the text is not a valid integer16."), "\(run.errors)")
        let reasons = try text(file, "bad.csv.reasons.csv").split(separator: "\n")
        #expect(reasons.count == 1 + wide + bad)
    }

    @Test func `without rejected records no file is made, and an existing one is not overwritten`() throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n")
        let rejects = ["--rejects", file.directory.path("bad.csv")]
        #expect(try file.run(Self.types + rejects).status == 0)
        #expect(!exists(file, "bad.csv") && !exists(file, "bad.csv.reasons.csv"))
        try file.run(Self.types + ["--rejects", file.path]).expectRefusal(saying: "exists")
        #expect(try text(file, "book.csv") == "id,title,year\n1,a,1\n")
    }
}
