import Foundation
import SectionedFetch
import Testing

/// Values that are nearly equal stay distinct and keep their characters.
@Suite struct LibraryImportFidelityTests {
    private func texts(_ rows: [[StoredValue]]) -> [[String]] {
        rows.map { row in
            row.map { value in
                switch value {
                case .null: "NULL"
                case .integer(let number): String(number)
                case .real(let number): String(number)
                case .text(let text): text
                case .blob(let bytes): "\(bytes)"
                }
            }
        }
    }

    @Test(
        arguments: [
            ["12345678901234567890", "12345678901234567891", "12345678901234567892"],
            ["1", "1.0", "+1", " 1"], ["-0", "0"], ["1.5", "1.50", "15e-1"],
            ["0.1", "0.10000000000000000001"],
            ["6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964ff"],
            ["2020-01-01", "2020-01-01T00:00:00Z", "2020-01-01 01:00+01:00"], ["7", "7.0", "x"],
            ["Caf\u{E9}", "Cafe\u{301}"],
        ])
    func `values that a proposed key would treat as equal stay separate rows`(values: [String])
        throws
    {
        let file = try LibraryImportFile(
            "thing.csv", "id,name\n" + values.enumerated().map { "\($1),\($0)\n" }.joined())
        #expect(try file.counts() == LibraryImportCounts(inserted: values.count))
    }

    @Test func `texts that become equal by replacing bytes are not a key`() throws {
        let file = try LibraryImportFile("thing.csv", "")
        try (Data("id,name\n".utf8) + [0xFF] + Data(",a\n".utf8) + [0xFE] + Data(",b\n".utf8))
            .write(to: file.directory.file("thing.csv"))
        #expect(try file.counts(["--replace-invalid"]) == LibraryImportCounts(inserted: 2))
    }

    @Test func `a key whose numbers turn out to be texts is compared as text from its first row`() throws {
        // As numbers 07 and 7 are equal, as texts they differ; 5 is repeated in either case.
        let good = (10..<1_100).map { "\($0)\n" }.joined()
        let file = try LibraryImportFile("thing.csv", "id\n7\n" + good + "07\nx\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1_093))
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1_093))
        let twice = try LibraryImportFile("thing.csv", "id\n5\n" + good + "x\n5\n")
        let run = try twice.run()
        #expect(run.errors.contains("“id” is not used as the key: line 1094 repeats a value."), "\(run)")
        #expect(run.output.hasPrefix("1,093 inserted"), "\(run)")
    }

    @Test(
        arguments: [
            ("1000%d", "01234"), ("1000%d", "-007"), ("1000%d", "+4930100000"), ("1.%d", "007.5"),
            ("1.%d", "9007199254740993"), ("1.%d", "1e-400"), ("1.%d", "123456789012345678901"),
            ("true", "Y"), ("1000%d", "   "), ("1.%d", " "), ("1.%d", "1234567890123456.78"),
            ("1.%d", "9007199254740993.0"), ("2024-03-01T12:00:0%d", "2024-03-01T12:00:00.123456789Z"),
        ])
    func `a code after the first thousand rows keeps all its characters`(usual: String, late: String) throws {
        let rows = (0..<1_100).map { "\(usual.replacing("%d", with: "\($0 % 10)")),x\n" }.joined()
        let file = try LibraryImportFile("thing.csv", "code,other\n\(rows)\(late),x\n")
        let run = try file.run()
        #expect(
            run.errors.contains("“code” is imported as string") && run.errors.contains("“\(late)”"), "\(run)")
        #expect(try texts(file.rows("Thing", ["code"])).last == [late])
    }

    @Test func `two amounts that are equal as doubles stay distinct in any row`() throws {
        let amounts = ["1234567890123456.78", "1234567890123456.79"]
        for count in [0, 1_100] {
            let rows = (0..<count).map { "a\($0),0.5\n" } + amounts.map { "\($0),\($0)\n" }
            let file = try LibraryImportFile("thing.csv", "name,amount\n" + rows.joined())
            #expect(try file.counts() == LibraryImportCounts(inserted: count + 2))
            #expect(try texts(file.rows("Thing", ["amount"])).suffix(2) == amounts.map { [$0] }, "\(count)")
        }
    }

    @Test(arguments: [0, 1_100])
    func `a blank text is a value, and an empty field is null, in any row`(row: Int) throws {
        func number(_ field: String) throws -> (value: StoredValue, errors: String) {
            var rows = (0..<1_200).map { "x,\($0)\n" }
            rows.insert("x,\(field)\n", at: row)
            let file = try LibraryImportFile("thing.csv", "name,number\n" + rows.joined())
            let run = try file.run()
            #expect(run.output.hasPrefix("1,201 inserted"), "\(run)")
            return (try file.rows("Thing", ["number"])[row][0], run.errors)
        }
        let (blank, note) = try number("   ")
        #expect(blank == "   ")
        // Within the sample, string is the only type that was proposed.
        #expect(
            note.contains("“number” is imported as string, not integer64, because of “   ”") == (row > 1_000))
        #expect(try number("") == (.null, ""))
    }

    @Test func `JSON numbers that no type can hold keep their digits`() throws {
        let numbers = ["1.5", "123456789012345678901234567890", "1e-400", "9007199254740993"]
        let file = try LibraryImportFile("thing.json", numbers.map { "{\"a\":\($0)}\n" }.joined())
        #expect(try file.counts() == LibraryImportCounts(inserted: 4))
        #expect(try texts(file.rows("Thing", ["a"])) == numbers.map { [$0] })
    }

    @Test func `a number that is too small for its type is an error, not zero`() throws {
        let file = try LibraryImportFile("thing.csv", "id,a\n1,1e-400\n2,0e5\n3,4.9e-324\n")
        let run = try file.run(["--type", "a=double"])
        #expect(run.status == 1 && run.errors.contains("“1e-400” is not a valid double"), "\(run)")
        #expect(try texts(file.rows("Thing", ["a"])) == [["0.0"], ["5e-324"]])
    }

    @Test func `canonically equivalent texts are two related objects, in either order`() throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let file = try LibraryImportFile("work.csv", "id,artist\n1,\(composed)\n2,\(decomposed)\n")
        #expect(
            try file.counts(["--relationship", "artist=Artist"])
                == LibraryImportCounts(inserted: 2, createdRelated: 2))
        try file.write("id,artist\n2,\(decomposed)\n1,\(composed)\n")
        #expect(try file.counts() == LibraryImportCounts(unchanged: 2))
    }

    @Test(arguments: ["csv", "json"])
    func `fields with canonically equivalent names are two fields`(format: String) throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let content =
            format == "csv"
            ? "id,\(composed),\(decomposed)\n1,a,b\n"
            : "{\"id\":1,\"\(composed)\":\"a\",\"\(decomposed)\":\"b\"}\n"
        let file = try LibraryImportFile("thing.\(format)", content)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        // The bytes of the decomposed name sort first.
        #expect(try texts(file.rows("Thing", [decomposed, "\(composed)_2"])) == [["b", "a"]])
    }

    @Test func `the mapping of columns to attributes does not depend on their order`() throws {
        let file = try LibraryImportFile("thing.json", #"{"id":1,"a":{"b":"dot"},"a_b":"under"}"#)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write(#"{"id":1,"a_b":"under","a":{"b":"dot"}}"#)
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1))
        #expect(try texts(file.rows("Thing", ["a_b", "a_b_2"])) == [["under", "dot"]])
    }
}
