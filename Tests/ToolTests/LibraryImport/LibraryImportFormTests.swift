import Foundation
import SectionedFetch
import Testing

@testable import LibraryImport

/// Texts that write values in another form than the types of attributes, and texts that attributes change.
@Suite struct LibraryImportFormTests {
    private func seconds(_ text: String, _ pattern: String) throws -> Double? {
        let form = try #require(DateForm(pattern: pattern))
        var text = text
        return text.withUTF8 { form.seconds(UnsafeRawBufferPointer($0)) }
    }

    private func plain(_ text: String, _ example: String) throws -> String? {
        let form = try #require(NumberForm(example: example))
        var text = text
        return text.withUTF8 { form.plain(UnsafeRawBufferPointer($0)) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            ("29.09.2018", "dd.MM.yyyy", "2018-09-29T00:00:00Z"),
            ("1.2.2018", "d.M.yyyy", "2018-02-01T00:00:00Z"),
            ("2018/09/29", "yyyy/MM/dd", "2018-09-29T00:00:00Z"),
            ("Mar 3, 2020", "MMM d, yyyy", "2020-03-03T00:00:00Z"),
            ("3 MARCH 2020", "d MMMM yyyy", "2020-03-03T00:00:00Z"),
            ("20200303", "yyyyMMdd", "2020-03-03T00:00:00Z"),
            ("3/4/2020 12:05 AM", "M/d/yyyy h:mm a", "2020-03-04T00:05:00Z"),
            ("3/4/2020 12:05 PM", "M/d/yyyy h:mm a", "2020-03-04T12:05:00Z"),
            ("04.03.1500 23:59:58", "dd.MM.yyyy HH:mm:ss", "1500-03-04T23:59:58Z"),
        ])
    func `a date is read by its pattern`(text: String, pattern: String, expected: String) throws {
        #expect(try seconds(text, pattern) == ISO8601Text.seconds(expected))
    }

    @Test(
        arguments: [
            ("29.9.2018", "dd.MM.yyyy"), ("01.2.2018", "d.M.yyyy"), ("30.02.2018", "dd.MM.yyyy"),
            ("29.09.18", "dd.MM.yyyy"), ("29.09.2018 ", "dd.MM.yyyy"), ("Mär 3, 2020", "MMM d, yyyy"),
            ("3/4/2020 13:05 AM", "M/d/yyyy h:mm a"), ("3/4/2020 24:00", "M/d/yyyy HH:mm"), ("", "yyyyMMdd"),
        ])
    func `another text is no date`(text: String, pattern: String) throws {
        #expect(try seconds(text, pattern) == nil)
    }

    @Test(arguments: [
        "yy-MM-dd", "dd.MM", "yyyy-MM-dd HH:mm a", "yyyy-QQ-dd", "yyyy-MM-dd dd", "", "h:mm d.M.yyyy",
    ])
    func `another text is no pattern`(pattern: String) {
        #expect(DateForm(pattern: pattern) == nil)
    }

    @Test(
        arguments: [
            ("1.234.567,5", "1.234,5", "1234567.5"), ("-3,25", "1234,5", "-3.25"), ("12", "1234,5", "12"),
            ("1,234,567", "1,234", "1234567"), ("1 234,5", "1 234,5", "1234.5"),
            ("1234,5", "1.234,5", "1234.5"),
            ("1'000.5", "1'234.5", "1000.5"),
        ])
    func `a number is read by its marks`(text: String, example: String, expected: String) throws {
        #expect(try plain(text, example) == expected)
    }

    @Test(
        arguments: [
            ("1.23,5", "1.234,5"), ("1234.567,5", "1.234,5"), (",5", "1234,5"), ("1,", "1234,5"),
            ("1,2,3", "1234,5"),
            ("1.5", "1234,5"), ("1,234.5", "1,234"), ("", "1234,5"), ("1,5e3", "1234,5"),
        ])
    func `a text with other marks is no number`(text: String, example: String) throws {
        #expect(try plain(text, example) == nil)
    }

    @Test(arguments: ["1234", "12345", "1,234,5", "1:234", "x", "2.345,6"])
    func `an example must show the number 1234 or 1234_5`(example: String) {
        #expect((NumberForm(example: example) == nil) == (example != "1234"))
    }

    @Test func `options read each form, and rows in other forms are skipped`() throws {
        let file = try LibraryImportFile(
            #"""
            id;price;day;flag;isbn;pages
            1;1.234,50;29.09.2018;ja;"=""0978"""; 12
            2;NA;01.10.2018;nein;"=""0979""";NA
            3;0,5;2018-10-02;ja;x;3

            """#)
        let options = [
            "--number-form", "price=1.234,5", "--date-form", "day=dd.MM.yyyy", "--boolean-form",
            "flag=ja/nein", "--unquote", "--trim", "--no-value", "NA", "--key", "id",
        ]
        #expect(try file.counts(options, status: 1) == LibraryImportCounts(inserted: 2, skipped: 1))
        let day = try #require(ISO8601Text.seconds("2018-09-29"))
        #expect(
            try file.rows("Book", ["price", "day", "flag", "isbn", "pages"]) == [
                [.real(1_234.5), .real(day), 1, .text("0978"), 12],
                [.null, .real(day + 2 * 86_400), 0, .text("0979"), .null],
            ])
    }

    @Test func `a proposal has the forms that all rows have, and an import names their options`() throws {
        let rows = (1...1_500).map {
            "\($0),\"\($0),5\",\($0 % 28 + 1).\($0 % 12 + 1).2019,\($0.isMultiple(of: 2) ? "yes" : "no"),\($0.isMultiple(of: 3) ? "NA" : "\($0)"),\($0 % 12 + 1)/\($0 % 12 + 1)/2020"
        }
        let file = try LibraryImportFile(
            "id,price,day,flag,count,both\n" + rows.joined(separator: "\n") + "\n")
        let proposed = try ToolProcess.run("library-import", ["propose", file.path])
        let mapping = try file.mapping(proposed.output)
        #expect(try file.counts(["--mapping", mapping]).inserted == 1_500)
        let types = try file.openStore().model.entity(named: "Book")?.attributes.map(\.type)
        #expect(types == [.integer64, .double, .date, .boolean, .integer64, .date])
        #expect(
            try file.rows("Book", ["price", "count"]).prefix(3) == [
                [.real(1.5), 1], [.real(2.5), 2], [.real(3.5), .null],
            ])

        let other = try LibraryImportFile(
            "id,price,day,flag,count\n"
                + rows.map { $0.split(separator: ",").dropLast().joined(separator: ",") }.joined(
                    separator: "\n") + "\n")
        let run = try other.run()
        #expect(run.status == 0, "\(run)")
        for option in [
            "--number-form \"price=1234,5\"", "--date-form \"day=d.M.yyyy\"",
            "--boolean-form \"flag=yes/no\"",
            "--no-value \"count=NA\"",
        ] { #expect(run.errors.contains(option), "\(run)") }
    }

    @Test(
        arguments: [
            ("x", ["1.10", "2.5"], "--type \"x=double\". The type does not keep the text “1.10”."),
            ("x", ["1", "1.0"], "The type does not keep the text “1.0”."),
            ("x", ["3,50", "12,00"], "--number-form \"x=1234,5\". The type does not keep the text “3,50”."),
            ("x", ["1,234", "5"], nil), ("x", ["007", "8"], nil), ("x", ["a", "NA"], nil),
            ("x", ["yes", "yes"], nil),
            ("x", [" 1", "2 "], "pass --trim."),
            ("isbn", ["=\"\"0978X\"\"", "=\"\"\"\""], "pass --unquote."),
            ("isbn", ["=\"\"0978X\"\"", "0978"], nil),
            ("x", ["1", "-", "\\N"], "--no-value \"x=-\" --no-value \"x=\\N\"."),
            ("x", ["5e3", "1"], "The type does not keep the text “5e3”."),
            ("x", ["NaN", "1.5"], "--no-value \"x=NaN\"."),
        ] as [(String, [String], String?)])
    func `an option is named if all texts have a form`(column: String, texts: [String], hint: String?) throws
    {
        let rows = texts.enumerated().map { "\($0),\"\($1)\"\n" }.joined()
        let file = try LibraryImportFile("n,\(column)\n" + rows)
        let run = try file.run()
        #expect(run.status == 0, "\(run)")
        if let hint {
            #expect(run.errors.contains(hint), "\(run)")
        } else {
            #expect(run.errors == "", "\(run)")
        }
    }

    @Test func `a column of zeros and ones stays a number, and a note names the option for Boolean values`()
        throws
    {
        let rows = "1,0,0,0\n2,1,2,0\n3,,1,0\n4,1,1,0\n"
        let file = try LibraryImportFile("thing.csv", "id,flag,count,zero\n" + rows)
        let run = try file.run(["--key", "id"])
        let option = "--boolean-form \"flag=1/0\""
        #expect(run.errors.contains("“flag” has only 0 and 1") && run.errors.contains(option), "\(run)")
        #expect(!run.errors.contains("“count”") && !run.errors.contains("“zero”"), "\(run)")
        #expect(try file.rows("Thing", ["flag"]) == [[0], [1], [.null], [1]])
        let other = try LibraryImportFile("thing.csv", "id,flag\n1,0\n2,1\n3,\n")
        let counts = try other.counts(["--boolean-form", "flag=1/0"])
        #expect(counts.inserted == 3)
        let model = try PersistentContainer(url: URL(filePath: other.storePath)).model
        #expect(try model.requireEntity(named: "Thing").attribute(named: "flag")?.type == .boolean)
        #expect(try other.rows("Thing", ["flag"]) == [[0], [1], [.null]])
    }

    @Test func `dates with two meanings are named and stay texts`() throws {
        let file = try LibraryImportFile("id,day\n1,01/02/2020\n2,03/04/2021\n")
        let run = try file.run()
        #expect(run.errors.contains("“day” may hold dates, as MM/dd/yyyy or as dd/MM/yyyy."), "\(run)")
        #expect(try file.rows("Book", ["day"]) == [[.text("01/02/2020")], [.text("03/04/2021")]])
    }

    @Test func `a text that its attribute would change is reported, skipped or accepted`() throws {
        for (policy, inserted) in [("warn", 3), ("skip", 1), ("accept", 3)] {
            let file = try LibraryImportFile("id,n,x\na,1,2.5\nb,007,1\nc,2,1.10\n")
            let run = try file.run(
                ["--type", "n=integer64", "--type", "x=double", "--on-change", policy, "--json"])
            #expect(run.status == (policy == "skip" ? 1 : 0), "\(run)")
            #expect(
                try run.output.contains("\"inserted\": \(inserted)")
                    || file.rows("Book", ["n"]).count == inserted)
            #expect(
                run.errors.contains("“n”: 1 text changed, first in line 3: “007” is stored as 7.")
                    == (policy == "warn"), "\(run)")
            #expect(
                run.errors.contains("without these notes, pass --on-change accept.") == (policy == "warn"),
                "\(run)")
            #expect(run.errors.contains("“1.10” would become 1.1") == (policy == "skip"), "\(run)")
        }
    }

    @Test(
        arguments: [
            ("1569", "01569", AttributeType.integer64), ("1.5", "1.50", .double), ("3", "3.0", .double),
            ("2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00", .date),
        ])
    func `two texts of a key never become one row silently`(
        first: String, second: String, type: AttributeType
    ) throws {
        let file = try LibraryImportFile("zip,name\n\(first),a\n")
        let options = ["--key", "zip", "--type", "zip=\(type.rawValue)"]
        #expect(try file.counts(options).inserted == 1)
        try file.write("zip,name\n\(first),a\n\(second),b\n")
        let run = try file.run(["--key", "zip"])
        #expect(run.status == 1 && run.errors.contains("“\(second)” would become"), "\(run)")
        #expect(try file.rows("Book", ["name"]) == [[.text("a")]])
        #expect(try file.counts(["--key", "zip", "--on-change", "accept"]).updated == 1)
    }

    @Test(arguments: [[], ["--on-error", "stop"], ["--max-errors", "0"], ["--dry-run"]])
    func `if all texts of a column with bad rows have a form, its option is named`(
        arguments: [String]
    ) throws {
        let forms = ["--date-form", "day=dd.MM.yyyy HH:mm", "--number-form", "lat=1234,5"]
        let file = try LibraryImportFile("day;lat;n;x\n01.05.2024 02:15;47,3;1;1.5\n")
        #expect(try file.counts(["--no-key"] + forms).inserted == 1)
        try file.write("day;lat;n;x\n05.01.2024 02:15;47,31;2;abc\n25.01.2024 02:15;48;NA;2.5\n")
        let run = try file.run(["--no-key"] + arguments)
        #expect(run.status != 0, "\(run)")
        let hint =
            "The texts of “day”, such as “05.01.2024 02:15”, can be imported as date. Pass --date-form \"day=dd.MM.yyyy HH:mm\"."
        #expect(run.errors.contains(hint), "\(run)")
        // The value of the second column is not reported before that of the first one is corrected.
        for option in ["--number-form \"lat=1234,5\".", "--no-value \"n=NA\"."] {
            #expect(run.errors.contains(option), "\(run)")
        }
        #expect(!run.errors.contains("“x”"), "\(run)")
        // A file of which no record became a row is not one that was imported before.
        let corrected = try file.counts(["--no-key", "--no-value", "n=NA", "--no-value", "x=abc"] + forms)
        #expect(corrected.inserted == 2)
    }

    @Test(
        arguments: [
            ("n", "integer64", ["1", "NA"], "--no-value \"n=NA\"."),
            ("n", "double", ["47,31", "48"], "--number-form \"n=1234,5\"."),
            ("n", "integer64", ["47,31", "48"], nil), ("n", "double", ["47,31", "x"], nil),
            ("n", "boolean", ["ja", "nein"], "--boolean-form \"n=ja/nein\"."),
            ("n", "date", ["01/02/2020", "2/3/2020"], nil),
            ("n", "date", ["01/02/2020", "02/03/2020"], "as MM/dd/yyyy or as dd/MM/yyyy."),
        ] as [(String, String, [String], String?)])
    func `only a form that gives values of the type is named`(
        column: String, type: String, texts: [String], option: String?
    ) throws {
        let file = try LibraryImportFile(
            "id,\(column)\n" + texts.enumerated().map { "\($0),\"\($1)\"\n" }.joined())
        let run = try file.run(["--type", "\(column)=\(type)"])
        #expect(run.status == 1, "\(run)")
        if let option {
            #expect(run.errors.contains(option), "\(run)")
        } else {
            #expect(!run.errors.contains("Pass --") && !run.errors.contains("pass --date"), "\(run)")
        }
    }
}
