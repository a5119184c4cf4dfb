import Foundation
import SectionedFetch
import Testing

/// Values that are nearly alike stay what and as many as they are in the file.
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
    func `values that a proposed key would take for one are as many rows as they are`(values: [String])
        throws
    {
        let file = try LibraryImportFile(
            "things.csv", "id,name\n" + values.enumerated().map { "\($1),\($0)\n" }.joined())
        #expect(try file.counts() == LibraryImportCounts(inserted: values.count))
    }

    @Test func `texts that are made alike by replacing bytes are no key`() throws {
        let file = try LibraryImportFile("things.csv", "")
        try (Data("id,name\n".utf8) + [0xFF] + Data(",a\n".utf8) + [0xFE] + Data(",b\n".utf8))
            .write(to: file.directory.file("things.csv"))
        #expect(try file.counts(["--replace-invalid"]) == LibraryImportCounts(inserted: 2))
    }

    @Test func `a key whose numbers turn out to be texts is compared as text from its first row`() throws {
        // As numbers 07 and 7 are one, as texts they are two; 5 is there twice either way.
        let good = (10..<1_100).map { "\($0)\n" }.joined()
        let file = try LibraryImportFile("things.csv", "id\n7\n" + good + "07\nx\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1_093))
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1_093))
        let twice = try LibraryImportFile("things.csv", "id\n5\n" + good + "x\n5\n")
        let run = try twice.run()
        #expect(run.errors.contains("“id” is not taken as key: line 1094 repeats a value."), "\(run)")
        #expect(run.output.hasPrefix("1,093 inserted"), "\(run)")
    }

    @Test(
        arguments: [
            ("1000%d", "01234"), ("1000%d", "-007"), ("1000%d", "+4930100000"), ("1.%d", "007.5"),
            ("1.%d", "9007199254740993"), ("1.%d", "1e-400"), ("1.%d", "123456789012345678901"),
            ("true", "Y"), ("1000%d", "   "), ("1.%d", " "), ("1.%d", "1234567890123456.78"),
            ("1.%d", "9007199254740993.0"), ("2024-03-01T12:00:0%d", "2024-03-01T12:00:00.123456789Z"),
        ])
    func `a code behind the first thousand rows keeps all its characters`(usual: String, late: String) throws
    {
        let rows = (0..<1_100).map { "\(usual.replacing("%d", with: "\($0 % 10)")),x\n" }.joined()
        let file = try LibraryImportFile("things.csv", "code,other\n\(rows)\(late),x\n")
        let run = try file.run()
        #expect(
            run.errors.contains("“code” is taken as string") && run.errors.contains("“\(late)”"), "\(run)")
        #expect(try texts(file.rows("Thing", ["code"])).last == [late])
    }

    @Test func `two amounts that a double would make one stay two, wherever they stand`() throws {
        let amounts = ["1234567890123456.78", "1234567890123456.79"]
        for count in [0, 1_100] {
            let rows = (0..<count).map { "a\($0),0.5\n" } + amounts.map { "\($0),\($0)\n" }
            let file = try LibraryImportFile("things.csv", "name,amount\n" + rows.joined())
            #expect(try file.counts() == LibraryImportCounts(inserted: count + 2))
            #expect(try texts(file.rows("Thing", ["amount"])).suffix(2) == amounts.map { [$0] }, "\(count)")
        }
    }

    @Test(arguments: [0, 1_100])
    func `a blank text is no missing value, and an empty field is one, wherever they stand`(row: Int) throws {
        func number(_ field: String) throws -> (value: StoredValue, errors: String) {
            var rows = (0..<1_200).map { "x,\($0)\n" }
            rows.insert("x,\(field)\n", at: row)
            let file = try LibraryImportFile("things.csv", "name,number\n" + rows.joined())
            let run = try file.run()
            #expect(run.output.hasPrefix("1,201 inserted"), "\(run)")
            return (try file.rows("Thing", ["number"])[row][0], run.errors)
        }
        let (blank, note) = try number("   ")
        #expect(blank == "   ")
        // In the sample nothing else was ever proposed.
        #expect(
            note.contains("“number” is taken as string, not integer64, because of “   ”") == (row > 1_000))
        #expect(try number("") == (.null, ""))
    }

    @Test func `numbers of JSON that no type holds keep their digits`() throws {
        let numbers = ["1.5", "123456789012345678901234567890", "1e-400", "9007199254740993"]
        let file = try LibraryImportFile("things.json", numbers.map { "{\"a\":\($0)}\n" }.joined())
        #expect(try file.counts() == LibraryImportCounts(inserted: 4))
        #expect(try texts(file.rows("Thing", ["a"])) == numbers.map { [$0] })
    }

    @Test func `a number that is too small for its type is no zero`() throws {
        let file = try LibraryImportFile("things.csv", "id,a\n1,1e-400\n2,0e5\n3,4.9e-324\n")
        let run = try file.run(["--type", "a=double"])
        #expect(run.status == 1 && run.errors.contains("“1e-400” is no double"), "\(run)")
        #expect(try texts(file.rows("Thing", ["a"])) == [["0.0"], ["5e-324"]])
    }

    @Test func `texts that only read the same are two related objects, whatever comes first`() throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let file = try LibraryImportFile("works.csv", "id,artist\n1,\(composed)\n2,\(decomposed)\n")
        #expect(
            try file.counts(["--relationship", "artist=Artist"])
                == LibraryImportCounts(inserted: 2, createdRelated: 2))
        try file.write("id,artist\n2,\(decomposed)\n1,\(composed)\n")
        #expect(try file.counts() == LibraryImportCounts(unchanged: 2))
    }

    @Test(arguments: ["csv", "json"])
    func `fields whose names only read the same are two`(format: String) throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let content =
            format == "csv"
            ? "id,\(composed),\(decomposed)\n1,a,b\n"
            : "{\"id\":1,\"\(composed)\":\"a\",\"\(decomposed)\":\"b\"}\n"
        let file = try LibraryImportFile("things.\(format)", content)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        // The bytes of the decomposed name come first.
        #expect(try texts(file.rows("Thing", [decomposed, "\(composed)_2"])) == [["b", "a"]])
    }

    @Test func `which column goes to which attribute does not depend on their order`() throws {
        let file = try LibraryImportFile("things.json", #"{"id":1,"a":{"b":"dot"},"a_b":"under"}"#)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write(#"{"id":1,"a_b":"under","a":{"b":"dot"}}"#)
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1))
        #expect(try texts(file.rows("Thing", ["a_b", "a_b_2"])) == [["under", "dot"]])
    }
}
