import ArgumentParser
import Foundation
import SectionedFetch
import Testing

@testable import LibraryImport
@testable import ToolSupport

/// The mapping that is proposed for a file without options.
@Suite struct LibraryImportProposalTests {
    private func mapping(_ content: String, proposesForms: Bool = false, notes: inout [String]) throws
        -> Mapping
    {
        let file = try LibraryImportFile("thing.csv", content)
        let options = try MappingOptions.parse([])
        let reading = try ReadingOptions.parse([])
        return try options.mapping(
            file: file.path, reading: reading.options, model: nil, proposesForms: proposesForms,
            note: { notes.append($0) })
    }

    @Test(
        arguments: [
            (["1", "-2", "0"], .integer64), (["1", "", "2"], .integer64), (["1", "2.5"], .double),
            (["1.0", "2.0", "0.5"], .double), (["0.5", "0", "-3"], .double), (["5e-324", "1e+16"], .double),
            (["13.377704999999999", "-122.41941550000001"], .double), (["true", "false"], .boolean),
            // Texts that a number would change.
            (["1.1", "1.10"], .string), (["1e2"], .string), (["12345e7"], .string), (["007", "8"], .string),
            (["+46812345678"], .string), (["+3", "1"], .string), (["1", " 2 "], .string), ([".5"], .string),
            (["1", "1.0"], .string), (["-0"], .string), (["nan", "1"], .string), (["4.9e-324"], .string),
            // More digits than a double holds.
            (["9223372036854775808", "1"], .decimal), (["1234567890123456.78", "0.5"], .decimal),
            (["0.10000000000000001"], .decimal), (["9007199254740993.0"], .string),
            (["true", "FALSE"], .string), (["yes", "true"], .string), (["Y", "N"], .string),
            (["1999-12-31", "2000-02-29"], .date), (["1999-12-31", "1999-12-31T00:00"], .string),
            (["1999-12-31T23:59:60Z"], .string), (["1999-12-31T12:30", "2000-01-01T00:00"], .date),
            (["1999-02-29"], .string), (["31/12/1999"], .string), (["1", "   "], .string),
            (["2024-03-01T12:00:00.123456Z", "2024-03-01T12:00:00.120000Z"], .date),
            (["2024-03-01 12:00:00", "2024-03-01T12:00:00"], .string),
            (["2024-03-01T12:00:00.123456789Z"], .string), (["2024-03-01T12:00:00+01:00"], .string),
            (["9999-12-31T12:00:00.123456Z"], .string), (["1500-01-01T00:00:00.5Z"], .date),
            (["6F9619FF-8B86-D011-B42D-00CF4FC964FF", "00000000-0000-0000-0000-000000000000"], .uuid),
            (["6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964fe"], .string),
            (["", ""], .string), (["a", "1"], .string),
        ] as [([String], AttributeType)])
    func `a type is proposed if every text can be computed from its value`(
        values: [String], type: AttributeType
    ) throws {
        var notes: [String] = []
        let rows = values.map { "\"\($0)\",z" }.joined(separator: "\n")
        let proposal = try mapping("value,other\n\(rows)\n", notes: &notes)
        #expect(proposal.attributes.map(\.type) == [type, .string])
        #expect(proposal.attributes.allSatisfy { $0.isOptional })
    }

    @Test(
        arguments: [
            (["1.10", "1.1", "1e2", "1.0"], .double), (["1", "-2"], .integer64), (["1", "2.0"], .double),
            (["0.12345678901234567"], .decimal), (["\"5\"", "\"6\""], .string), (["\"true\""], .string),
            (["true", "false", "null"], .boolean), (["true", "1"], .string), (["5", "\"5\""], .string),
            (["\"2020-01-01\""], .date), (["20200101"], .integer64), (["12345678901234567890"], .decimal),
        ] as [([String], AttributeType)])
    func `JSON numbers are compared by their values, and JSON texts stay texts`(
        values: [String], type: AttributeType
    ) throws {
        let file = try LibraryImportFile(
            "thing.jsonl", values.enumerated().map { "{\"n\": \($0), \"v\": \($1)}\n" }.joined())
        let run = try file.run()
        #expect(run.status == 0 && !run.output.contains("text"), "\(run)")
        let entity = try file.openStore().model.entity(named: "Thing")
        #expect(entity?.attribute(named: "v")?.type == type)
    }

    @Test(
        arguments: [
            (["?x"], .string, "?x"), (["3.1"], .double, "3.1"), (["3.1", "x"], .string, "x"),
            (["0.12345678901234567"], .decimal, "0.12345678901234567"), (["1.50"], .string, "1.50"),
        ] as [([String], AttributeType, String)])
    func `a later value widens the type to the next one that holds all, and is reported once`(
        late: [String], type: AttributeType, shown: String
    ) throws {
        for isEmptyBefore in [false, true] {
            var notes: [String] = []
            var rows = (1...3_000).map { isEmptyBefore && $0 <= 1_000 ? "" : String($0) }
            for (position, text) in late.enumerated() { rows[2_500 + position] = text }
            let proposal = try mapping(
                "year,t\n\(rows.map { "\($0),t" }.joined(separator: "\n"))\n", notes: &notes)
            #expect(proposal.attributes.map(\.type) == [type, .string])
            let line = 2_501 + late.count
            #expect(
                notes.first
                    == "“year” is imported as \(type.rawValue), not integer64, because of “\(shown)” in line \(line)."
            )
        }
    }

    @Test(
        arguments: [
            (["1", "2", "3"], "id", nil), (["1", "2", "2"], "id", "line 4 repeats a value"),
            (["1", "2", ""], "id", "line 4 has no value"), (["3", "1", "2"], "id", nil),
        ] as [([String], String, String?)])
    func `a proposed key is checked on the whole file`(tail: [String], column: String, doubt: String?) throws
    {
        // The sample of `late` has only good values, and the differing ones come after it.
        let good = (10...1_100).map { "\($0 * 7)" }
        var notes: [String] = []
        let proposal = try mapping(
            "\(column),t\n" + tail.map { "\($0),t\n" }.joined() + good.map { "\($0),t\n" }.joined(),
            notes: &notes)
        let late = try mapping(
            "\(column),t\n" + good.map { "\($0),t\n" }.joined() + tail.map { "\($0),t\n" }.joined(),
            notes: &notes)
        if doubt == nil {
            #expect(proposal.key == "id" && late.key == "id" && notes.isEmpty)
        } else {
            // A fault in the sample prevents the proposal, and a later fault withdraws it.
            #expect(proposal.key == nil && late.key == nil)
            let reason = doubt?.replacingOccurrences(of: "line 4", with: "line \(good.count + 4)") ?? ""
            #expect(notes == ["“id” is not used as the key: \(reason)."])
        }
    }

    @Test(
        arguments: [
            ("ObjectID", true), ("id", true), ("ID", true), ("isbn13", true), ("wiki id", true),
            ("acno", true),
            ("book_id", true), ("paid", false), ("squid", false), ("title", false),
        ])
    func `a key is proposed only if its name is that of a key`(column: String, isKey: Bool) throws {
        var notes: [String] = []
        let proposal = try mapping("\(column)\n1\n2\n3\n", notes: &notes)
        #expect((proposal.key != nil) == isKey)
    }

    @Test func `names of columns become valid names of attributes`() throws {
        let long = String(repeating: "é", count: 90)
        let columns = ["a.b", "A_B", "", "objectID", "rowid", "x\u{7}y", " first\r\nname ", long, long + "2"]
        let names = Mapping.attributeNames(forColumns: columns)
        #expect(
            names.prefix(7) == [
                "a_b_2", "A_B", "column3", "sourceobjectID", "sourcerowid", "xy", "first name",
            ])
        let attributes = names.map { AttributeDescription(name: $0, type: .string) }
        // The model checks that names are valid, not too long and not repeated.
        _ = try ManagedObjectModel(entities: [EntityDescription(name: "Thing", attributes: attributes)])
    }

    @Test(
        arguments: [
            ("/data/Artworks.csv", "Artworks"), ("books.2019.csv", "Books_2019"), ("status.csv", "Status"),
            ("boxes.json", "Boxes"), (".hidden", "_hidden"), ("my works.tsv", "My_works"), ("été.csv", "Été"),
        ])
    func `an entity is named after the file`(path: String, name: String) {
        #expect(Mapping.entityName(forFile: path) == name)
    }

    @Test func `columns with repeated values are proposed as relationships`() throws {
        var notes: [String] = []
        let rows = (0..<100).map { "\($0),Author \($0 % 9),Title \($0)\n" }.joined()
        _ = try mapping("id,author,title\n\(rows)", proposesForms: true, notes: &notes)
        #expect(notes.count == 1)
        #expect(
            notes.first?.contains(
                "“author” (9). To make one a relationship, pass --relationship \"author=Author\".") == true)
    }

    @Test func `a proposal has no control characters, and maps the columns of the file`() throws {
        let column = "a\u{7F}\u{9B}0m\u{202E}\u{2066}\u{2028}\u{1B}\\É"
        let file = try LibraryImportFile("id,\(column)\n1,x\n")
        let proposed = try ToolProcess.run("library-import", ["propose", file.path])
        #expect(!proposed.output.unicodeScalars.contains { $0 != "\n" && TerminalText.isUnsafe($0) })
        let mapping = try Mapping.read(path: file.mapping(proposed.output))
        #expect(mapping.attributes.map { Array($0.column.utf8) }.last == Array(column.utf8))
        #expect(try file.counts(["--mapping", file.directory.path("mapping.json")]).inserted == 1)
    }

    @Test(arguments: [900, 4_096])
    func `a proposal of many columns can be read again, from a pipe and with a byte order mark`(
        count: Int
    ) throws {
        let columns = (1...count).map { "c\($0)" }.joined(separator: ",")
        let values = (1...count).map { "\($0)" }.joined(separator: ",")
        let file = try LibraryImportFile("thing.csv", "\(columns)\n\(values)\n")
        let proposed = try ToolProcess.run("library-import", ["propose", file.path])
        for mark in ["", "\u{FEFF}"] {
            let mapping = try file.mapping(mark + proposed.output)
            let run = try ToolProcess.run(
                executable: URL(filePath: "/bin/sh"),
                [
                    "-c", "cat \"$1\" | \"$2\" \"$3\" \"$4\" --mapping /dev/stdin --again", "sh", mapping,
                    try ToolProcess.path("library-import"), file.path, file.storePath,
                ], command: "library-import", timeLimit: 20)
            if count < 2_000 {
                #expect(run.status == 0 && run.output.hasPrefix("1 inserted"), "\(run)")
            } else {
                run.expectRefusal(saying: "4,096 attributes and relationships")
            }
        }
    }

    @Test func `a proposal can be saved and read again`() throws {
        let file = try LibraryImportFile("id,Author,year\n1,Ann,1901\n2,Bob,\n")
        let arguments = ["propose", file.path, "--relationship", "Author=Author"]
        let proposed = try ToolProcess.run("library-import", arguments)
        let mapping = try file.mapping(
            try #require(proposed.status == 0 ? proposed.output : nil, "\(proposed)"))
        #expect(
            try file.counts(["--mapping", mapping]) == LibraryImportCounts(inserted: 2, createdRelated: 2))
        #expect(try file.rows("Book", ["id", "year"]) == [[1, 1901], [2, .null]])
    }
}
