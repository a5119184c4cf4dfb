import CheckSupport
import RecordReading
import Testing

/// Lines around the table of a CSV file: text above it, comments, and lines below it.
@Suite struct CSVLayoutTests {
    private func options(_ change: (inout RecordOptions) -> Void) -> RecordOptions {
        var options = RecordOptions()
        change(&options)
        return options
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines above the header are skipped, whatever their quotes`(end: String) throws {
        let text = ["Report of \"1924", "", "a,b", "1,2", "\"3\(end)4\",5"].joined(separator: end)
        let reading = try Reading(csv: text, options: options { $0.skippedLines = 2 })
        #expect(reading.fieldNames == ["a", "b"])
        #expect(reading.records == [["1", "2"], ["3\(end)4", "5"]])
        #expect(reading.lines == [4, 5])
    }

    @Test func `a file of fewer lines than are skipped is empty`() throws {
        #expect(
            try openingError(csv: "a\nb\n".utf8, options: options { $0.skippedLines = 3 })?.isFatal == true)
    }

    @Test func `without a header, the first line is a record`() throws {
        let text = "1,x,1\n2,\"y\"\"\",2\n"
        let reading = try Reading(csv: text, options: options { $0.hasHeader = false })
        #expect(reading.fieldNames == ["column1", "column2", "column3"])
        #expect(reading.records == [["1", "x", "1"], ["2", "y\"", "2"]])
        #expect(reading.lines == [1, 2])
        let named = try Reading(
            csv: text,
            options: options {
                $0.hasHeader = false
                $0.columnNames = ["a", "b", "c"]
            })
        #expect(named.fieldNames == ["a", "b", "c"])
        #expect(named.records == reading.records)
    }

    @Test func `names in the options replace those of the header, and their number is checked`() throws {
        let reading = try Reading(csv: "x,x\n1,2\n", options: options { $0.columnNames = ["a", "b"] })
        #expect(reading.fieldNames == ["a", "b"])
        #expect(reading.records == [["1", "2"]])
        let error = try openingError(csv: "x,y\n1,2\n".utf8, options: options { $0.columnNames = ["a"] })
        #expect(error?.reason == .columnNames(found: 1, expected: 2))
    }

    @Test func `comments are skipped where a record would begin, and count as lines`() throws {
        let text = "# one, \"two\n\n# three\na,b\n# four\r\n1,#2\n\"#3\",4\n#"
        let reading = try Reading(csv: text, options: options { $0.commentPrefix = "#" })
        #expect(reading.fieldNames == ["a", "b"])
        #expect(reading.records == [["1", "#2"], ["#3", "4"]])
        #expect(reading.lines == [6, 7])
        #expect(reading.errors.isEmpty)
    }

    @Test func `the delimiter is that of the header, not of the lines above`() throws {
        for change in [{ $0.skippedLines = 1 }, { $0.commentPrefix = "%" }] as [(inout RecordOptions) -> Void]
        {
            let reading = try Reading(csv: "% 1,2,3,4,5\na;b\n1;2\n", options: options(change))
            #expect(reading.records == [["1", "2"]])
        }
    }

    @Test(.enabled(if: Python.path != nil, "python3 is not on the search path"))
    func `tables with lines above and below are read as Python reads the lines between`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let program = """
            import csv, io
            for data in inputs:
                above, below, text = data.decode().split("|", 2)
                lines = [line for line in text.split("\\n") if line and not line.startswith("#")]
                lines = lines[int(above):len(lines) - int(below)]
                rows = list(csv.reader(lines))
                print("/".join(",".join(field.encode().hex() for field in row) for row in rows))
            """
        var inputs: [(above: Int, below: Int, text: String)] = []
        for number in 0..<300 {
            let (above, below) = (
                Int.random(in: 0...3, using: &generator), Int.random(in: 0...4, using: &generator)
            )
            // Some tables are larger than a window of 256 KiB.
            let rows = number % 30 == 0 ? 30_000 : Int.random(in: 1...20, using: &generator)
            var lines = (0..<above).map { "above \($0), a \"b\" ," }
            lines.append("a,b")
            for row in 0..<rows {
                if Int.random(in: 0..<10, using: &generator) == 0 { lines.append("# \(row), \"") }
                lines.append("\(row),\"é, \(Int.random(in: 0..<1_000_000, using: &generator))\"")
            }
            lines += (0..<below).map { "Total \($0) \"" }
            let end = String(repeating: "\n", count: Int.random(in: 0...3, using: &generator))
            inputs.append((above, below, lines.joined(separator: "\n") + end))
        }
        let expected = try Python.run(
            program, on: inputs.map { Array("\($0.above)|\($0.below)|\($0.text)".utf8) })
        for (input, expected) in zip(inputs, expected) {
            let reading = try Reading(
                csv: input.text,
                options: options {
                    $0.skippedLines = input.above
                    $0.skippedFooterLines = input.below
                    $0.commentPrefix = "#"
                    $0.hasHeader = false
                })
            let shown = reading.records.map { $0.map { Python.hexadecimal($0!.utf8) }.joined(separator: ",") }
            #expect(reading.errors.isEmpty, "seed \(seed): \(reading.errors.first.map { "\($0)" } ?? "")")
            #expect(shown.joined(separator: "/") == expected, "seed \(seed): \(input.text.prefix(500))")
        }
    }

    @Test(
        arguments: [
            ("Library export\nGenerated,2024\n\nid,title,year\n0,A,1\n1,B,2\n2,C,3\n3,D,4\n", 1, 3, 4),
            ("Export\nid;a;b\n1;2;3\n4;5;6\n", 1, 3, 2), ("x,y\n1,2,3\n4,5,6\n", 2, 3, 2),
            ("\nTitle\n\na\tb\n1\t2\n3\t4\n5\t6\n", 1, 2, 4),
        ])
    func `a first line with fewer fields than most others is refused`(
        text: String, found: Int, expected: Int, line: Int
    ) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: RecordError.self) {
            try openRecords(
                path: file.path,
                options: text.contains("\t") ? RecordOptions(delimiter: 0x09) : RecordOptions())
        }
        #expect(error?.reason == .preamble(found: found, expected: expected, line: line))
        #expect(error?.description.contains("--header-line \(line)") == true)
        let repaired = Reading(
            try openRecords(path: file.path, options: options { $0.skippedLines = line - 1 }))
        #expect(repaired.errors.isEmpty && repaired.records.count >= 1)
    }

    @Test(arguments: [
        "a,b\n1\n2\n3,c\n4\n5,x\n6,y\n", "name\n\"Doe, John\"\n\"Roe, Jane\"\n", "a,b,c\n1,2\n3,4\n5,6\n",
        "text\none; two\nthree; four\nfive; six\n", "a\n1,2\n", "a\n\n\n",
    ])
    func `other ragged files are not refused`(text: String) throws {
        let file = try TemporaryFile(text)
        #expect(throws: Never.self) { try openRecords(path: file.path) }
    }

    @Test(
        arguments: [
            ("1,Book 1,1901", "1"), ("a,2024-01-05,b", "2024-01-05"), ("x,3.5", "3.5"),
            ("31.12.1999,x", "31.12.1999"),
            ("12/31/1999,x", "12/31/1999"), ("Ann,ann@example.org", "ann@example.org"), ("-7,x", "-7"),
            ("id,title,year", nil), ("country,1990,1991,1992", nil), ("2003,2002,2001,x", nil),
            ("v1.2.3,e", nil),
            ("isbn13,col-1,nan,inf,0x10", nil), ("1,2,1", "1"),
            ("2024-01-05T10:00:00Z,a", "2024-01-05T10:00:00Z"),
        ] as [(String, String?)])
    func `a header that looks like values is recognized`(header: String, value: String?) throws {
        let file = try TemporaryFile(header + "\n")
        let reader = try CSVReader(path: file.path, options: RecordOptions(numbersColumns: true))
        #expect(reader.valueInHeader == value)
        let without = try CSVReader(path: file.path, options: options { $0.hasHeader = false })
        #expect(without.valueInHeader == nil)
    }
}

/// Files of other formats that would be read as tables.
@Suite struct OtherFormatTests {
    private static let prose = """
        It was the best of times, it was the worst of times, it was the age of wisdom.
        It was the age of foolishness and it was the epoch of belief.
        It was the epoch of incredulity, it was the season of Light.
        It was the season of Darkness, it was the spring of hope, it was the winter of despair.
        """
    private static let licence = """
        Copyright (c) 2020, The Authors

        Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
        associated documentation files, to deal in the software without restriction, including without
        limitation the rights to use, copy, modify, merge, publish, distribute, and sell copies.
        """

    @Test(
        arguments: [
            (prose, "prose"), ("Chapter One\n\n" + prose, "prose"), (licence, "licence"),
            ("MIT License\n\n" + licence, "licence"),
            ("BEGIN:VCARD\nVERSION:3.0\nEND:VCARD\n", "vCard"),
            ("<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel/></rss>", "XML"),
            ("<plist version=\"1.0\"><dict><key>a</key><true/></dict></plist>", "XML"),
            ("---\ntitle: x\nlist:\n  - 1\n", "YAML"),
            ("name: one\nage: 3\nitems:\n  - a\n  - b: c\n", "YAML"),
            ("# Title\n\nSome text, with a comma\n", "Markdown"),
            ("| a | b |\n|---|---|\n| 1 | 2 |\n", "Markdown"),
            ("// comment\n{\"a\": 1}\n", "JSON with comments"),
            ("/* x */\n[{\"a\": 1}]\n", "JSON with comments"),
        ])
    func `a file of another format is refused with its name`(text: String, name: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        guard case .otherFormat(let found)? = error?.reason else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect(found.contains(name), "\(found)")
        #expect(throws: Never.self) {
            try openRecords(path: file.path, options: RecordOptions(delimiter: 0x7C, numbersColumns: true))
        }
    }

    @Test(arguments: [
        "title\nThe Old Man and the Sea\nA Farewell to Arms\nFor Whom the Bell Tolls\n",
        "title,text\nOne,It was the best of times\nTwo,It was the worst of times it was\n",
        "#id,name\n1,a\n2,b\n", "# id,name\n1,a\n2,b\n", "@id,name\n1,a\n",
        "key: a,value: b\n1,2\n3,4\n5,6\n",
        "|a|b|\n|1|2|\n", "a: x\n1\n2\n3\n", "License,Copyright\nMIT License,me\nApache License,you\n",
        "Question one is how satisfied you are,Two\nvery much,1\nnot at all,2\n",
        "x\n\"It was, so, long\"\n\"a, b, c\"\n",
    ])
    func `tables with such words are read`(text: String) throws {
        let file = try TemporaryFile(text)
        #expect(throws: Never.self) { try openRecords(path: file.path) }
    }
}
