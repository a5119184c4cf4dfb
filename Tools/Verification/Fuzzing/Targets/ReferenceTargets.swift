import RecordReading

/// BibTeX.
struct BibTeXTarget: FuzzTarget {
    static let name = "bibtex"
    static let summary = "BibTeX"
    static let words: [[UInt8]] =
        [
            "@", "@a{", "@string{", "@comment{", "@preamble{", "{", "}", "\"", "#", ",", "=", "%", "(", ")",
            "\n@b{k,",
            "jan", "\0",
        ].map { Array($0.utf8) } + BadText.sequences

    private let check: NamedFormatCheck

    init() throws { check = try NamedFormatCheck() }

    func run(_ input: [UInt8]) throws -> Bool { try check.run(input) }

    static func seeds() -> [FuzzSeed] {
        [
            FuzzSeed("entry", "@article{k, title = {A {B}}, year = 1999}\n"),
            FuzzSeed("macro", "@string{j = {J}}\n@a{k, x = j # \"b\" # 1}\n@a{l, x = {\n a\n b}}\n"),
            FuzzSeed("bad", "@a{k, x = {1}\n@b{l, y = {2}}\n@c(m, z = \"{\"}\")"),
            FuzzSeed("comments", "% x\n@comment{@a{}}\n@a{k,\n % y = 1,\n z = 2}\n"),
        ]
    }
}

/// RIS.
struct RISTarget: FuzzTarget {
    static let name = "ris"
    static let summary = "RIS"
    static let words: [[UInt8]] =
        ["TY  - ", "ER  - ", "AU  - ", "\n", "\r", "\r\n", " ", "-", "\0"].map { Array($0.utf8) }
        + BadText.sequences

    private let check: NamedFormatCheck

    init() throws { check = try NamedFormatCheck() }

    func run(_ input: [UInt8]) throws -> Bool {
        let isGood = try check.run(input)
        let isNumbered = try check.run(input) { $0.numbersElements = true }
        guard isGood == isNumbered else { throw FuzzFinding("numbering changes which records are good") }
        return isGood
    }

    static func seeds() -> [FuzzSeed] {
        [
            FuzzSeed("two", "TY  - A\nAU  - x\nAU  - y\nER  - \n\nTY  - B\nER  -\n"),
            FuzzSeed("continued", "TY  - A\r\nAB  - x\r\n y\r\nER  - \r\n"),
            FuzzSeed("unfinished", "TY  - A\nTY  - B\nER  - \nTI  - c\n"),
        ]
    }
}

/// MARC 21 and MARCXML, with the common and with all columns.
struct MARCTarget: FuzzTarget {
    static let name = "marc"
    static let summary = "MARC 21 and MARCXML"
    static let words: [[UInt8]] =
        [[0x1D], [0x1E], [0x1F], [0x1B], [0x1F, 0x61]]
        + ["4500", "00042", "245", "0012", "<record>", "</record>", "<subfield code=\"a\">", "tag=\"245\""]
        .map {
            Array($0.utf8)
        } + BadText.sequences

    private let check: NamedFormatCheck

    init() throws { check = try NamedFormatCheck() }

    func run(_ input: [UInt8]) throws -> Bool {
        let isGood = try check.run(input)
        _ = try check.run(input) { $0.columnNames = ["*"] }
        return isGood
    }

    static func seeds() -> [FuzzSeed] {
        func record(_ fields: [(String, String)], _ coding: String = "a") -> [UInt8] {
            var directory: [UInt8] = []
            var data: [UInt8] = []
            func digits(_ number: Int, _ count: Int) -> [UInt8] {
                let text = Array(String(number).utf8)
                return [UInt8](repeating: 0x30, count: count - text.count) + text
            }
            for (tag, value) in fields {
                let field = Array(value.utf8) + [0x1E]
                directory += Array(tag.utf8) + digits(field.count, 4) + digits(data.count, 5)
                data += field
            }
            let base = 25 + directory.count
            return digits(base + data.count + 1, 5) + Array("nam \(coding)22".utf8) + digits(base, 5)
                + Array(" a 4500".utf8) + directory + [0x1E] + data + [0x1D]
        }
        let title = record([("001", "1"), ("245", "10\u{1F}aTitle :\u{1F}brest é")])
        return [
            FuzzSeed("title", title), FuzzSeed("two", title + record([("650", " 0\u{1F}aA\u{1F}zB")])),
            FuzzSeed("marc-8", record([("245", "10\u{1F}aé")], " ")),
            FuzzSeed("short", Array(title.dropLast(4))),
            FuzzSeed(
                "xml",
                "<collection xmlns=\"http://www.loc.gov/MARC21/slim\"><record><leader>x</leader><controlfield tag=\"001\">1</controlfield><datafield tag=\"245\" ind1=\"1\" ind2=\"0\"><subfield code=\"a\">T</subfield></datafield></record></collection>"
            ),
        ]
    }
}
