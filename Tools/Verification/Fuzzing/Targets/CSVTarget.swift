import RecordReading

/// The CSV reader, compared with a plain parser.
struct CSVTarget: FuzzTarget {
    static let name = "csv"
    static let summary = "the CSV reader"
    static let words: [[UInt8]] =
        [
            ",", ";", "\t", "\"", "\"\"", "\n", "\r", "\r\n", "\u{FEFF}", "\0", "é", "a,b\n", "\"x\"y",
            "\",\"",
        ].map { Array($0.utf8) } + BadText.sequences

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func run(_ input: [UInt8]) throws -> Bool {
        let path = try folder.write(input, to: "input.csv")
        let strict = ReadRecords(path, replacing: false, as: .csv)
        try strict.check(against: input, isStrict: true)
        let replaced = ReadRecords(path, replacing: true, as: .csv)
        try replaced.check(against: input, isStrict: false)
        if !strict.hasInvalidText, strict != replaced {
            throw FuzzFinding("without invalid UTF-8, replacing it changes the records")
        }
        guard strict.errors.isEmpty, let delimiter = strict.delimiter else { return false }
        guard
            PlainCSV.records(input, delimiter: delimiter) == [strict.names.map(Optional.some)]
                + strict.records
        else { throw FuzzFinding("the plain parser reads other records") }
        return true
    }

    static func seeds() -> [FuzzSeed] {
        [
            FuzzSeed("plain", "id,title,year\n1,One,1901\n2,Two,1902\n"),
            FuzzSeed("quotes", "a,b\n\"x, \"\"y\"\"\nz\",\"\"\n"),
            FuzzSeed("semicolons", "a;b;c\r\n1;\"2;3\";4\r\n"),
            FuzzSeed("tabs", "a\tb\n\t\n"),
            FuzzSeed("carriage-returns", "a,b\r1,2\r3,4\r"),
            FuzzSeed("mark", "\u{FEFF}a,b\n1,2"),
            FuzzSeed("one-column", "a\n\n1\n\"\"\n"),
            FuzzSeed("unclosed", "a,b\n1,\"2\n3,4\n"),
            FuzzSeed("invalid", Array("a,b\n1,".utf8) + [0xC3, 0x28, 0x0A] + Array("3,4\n".utf8)),
            FuzzSeed("utf-16", [0xFF, 0xFE, 0x61, 0, 0x2C, 0]),
            FuzzSeed("nul", Array("a,b\n1,\0\n".utf8)),
            FuzzSeed("counts", "a,b\n1\n1,2,3\n1,2\n"),
            FuzzSeed("texts", "name,town\nŽofie,Łódź\n李白,😀\n"),
            FuzzSeed(
                "columns",
                String(repeating: "a,", count: 40) + "b\n" + String(repeating: ",", count: 5_000) + "\n"),
        ]
    }
}
