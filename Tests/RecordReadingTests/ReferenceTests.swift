import CheckSupport
import Foundation
import RecordReading
import Testing

/// BibTeX and RIS.
@Suite struct ReferenceTests {
    private func bib(_ text: String) throws -> NamedReading { try NamedReading(text) }

    @Test(
        arguments: [
            ("@Article{k1, Title = {A {B} \\\"u}, year = 1999}", ["title": "A {B} \\\"u", "year": "1999"]),
            ("@article(k1, title = \"A {\"}B\", )", ["title": "A {\"}B"]),
            (
                "@string{j = \"J. \"}\n@string(k={X})\n@a{k1, journal = j # k # {!} # 12}",
                ["journal": "J. X!12"]
            ),
            ("@a{k1, month = jan # \"~1\"}", ["month": "jan~1"]),
            ("@comment{@b{x, y = 1}}\ntext @ no entry\n@preamble{ {\\x} }\n@a{k1,\n a = {1}\n}", ["a": "1"]),
            ("@a{k1, title = {one\n   two\r\nthree  four\n}}", ["title": "one two three  four"]),
            ("@a{k1,\n % b = {2},\n a = 1 % c\n}", ["a": "1"]),
            ("@a{k1, a = {}}", ["a": ""]), ("@a{k1}", [:]), ("@a{k1, a = {1}, A = {1}}", ["a": "1"]),
            ("% @b{x, a = {2}}\n%@b{y\n@a{k1, a = {1}}\n % @c{z}", ["a": "1"]),
            ("\u{FEFF}@a{k1, a = {1}}", ["a": "1"]), ("@a{k1, a = {1} b = {2}}", ["a": "1", "b": "2"]),
            ("@a{k1, a-b_c:d+e = {1}}", ["a-b_c:d+e": "1"]), ("  @a{k1, a = {@}}", ["a": "@"]),
        ] as [(String, [String: String])])
    func `an entry is read as BibTeX does`(text: String, fields: [String: String]) throws {
        let reading = try bib("% x\n" + text)
        #expect(reading.errors.isEmpty)
        try #require(reading.records.count == 1)
        var record = reading.records[0]
        #expect(record.removeValue(forKey: "citationKey") == "k1")
        #expect(["article", "a"].contains(record.removeValue(forKey: "entryType")))
        #expect(record == fields)
    }

    @Test(
        arguments: [
            ("@a{k, title = {x}", "not closed before the next one"), ("@a{k, title = {x", "brace is missing"),
            ("@a{k, title = \"x}", "quote is missing"), ("@a{k, title}", "“=” is missing after “title”"),
            ("@a{k, title = }", "a value is missing"), ("@a{k, title = x}", "“x” is not an @string"),
            ("@a{title = {x}}", "no citation key"), ("@a{k, a = {1}, a = {2}}", "duplicate name “a”"),
            ("@a{k, a = {1}}, b = {2}\n}", "closed too early"), ("@string{x}", "@string is not complete"),
            ("@a{k, a = {1} # }", "a value is missing"),
        ])
    func `a bad entry is counted, and the next one is read`(text: String, reason: String) throws {
        let reading = try bib("@a{first, a = {1}}\n\(text)\n\n@a{last, a = {2}}\n")
        #expect(reading.records.map { $0["citationKey"] } == ["first", "last"])
        #expect(reading.errors.count == 1 && reading.errors.allSatisfy { !$0.isFatal && $0.line == 2 })
        #expect("\(reading.errors)".contains(reason), "\(reading.errors)")
        #expect(reading.lines == [1, text.contains("\n") ? 5 : 4])
    }

    @Test func `a field name in another encoding makes its entry bad, or is replaced`() throws {
        let file = try TemporaryFile(
            Data(
                "@a{k1, a = {1}}\n@a{k2, \u{1}b = {2}, a = {3}}\n@a{k3, a = {4}}\n".utf8.map {
                    $0 == 1 ? 0xE4 : $0
                }))
        var options = RecordOptions()
        options.encoding = "UTF-8"
        for replaces in [false, true] {
            options.replacesInvalidUTF8 = replaces
            for names in [nil, ["citationKey", "a", "\u{FFFD}b"]] {
                let reader = try openRecords(path: file.path, options: options, fieldNames: names)
                var found: [String?] = []
                var lines: [Int] = []
                while true {
                    do throws(RecordError) {
                        guard try reader.next() else { break }
                        let name = reader.fieldNames.firstIndex(of: "\u{FFFD}b")
                        found.append(name.flatMap(reader.text(ofField:)))
                    } catch {
                        #expect("\(error)".contains("not UTF-8; pass --encoding"))
                        lines.append(error.line)
                    }
                }
                #expect(found == (replaces ? [nil, "2", nil] : [nil, nil]), "\(names ?? [])")
                #expect(lines == (replaces ? [] : [2]))
            }
        }
    }

    /// A separate parser of BibTeX, which goes from entry to entry by counting braces.
    private static let program = """
        import json, re
        def parse(text):
            out = []
            text = text.decode()
            for part in re.split(r"(?m)^(?=\\ufeff?[ \\t]*@[A-Za-z]+[ \\t]*[{(])", text)[1:]:
                m = re.match(r"\\ufeff?\\s*@(\\w+)\\s*\\{\\s*([^,\\s]*)\\s*,", part)
                r, p = {"entryType": m[1].lower(), "citationKey": m[2]}, m.end()
                while True:
                    p += len(re.match(r"(\\s|,|%.*)*", part[p:])[0])
                    if part[p:p+1] == "}": break
                    f = re.match(r"([^\\s={}]+)\\s*=\\s*", part[p:])
                    if not f: r = None; break
                    p += f.end()
                    value = None
                    if part[p] in '{"':
                        depth, q = 0, p + 1
                        while q < len(part):
                            c = part[q]
                            if depth == 0 and c == ('}' if part[p] == '{' else '"'): break
                            depth += (c == '{') - (c == '}')
                            q += 1
                        if q >= len(part): r = None; break
                        value, p = part[p+1:q], q + 1
                    else:
                        w = re.match(r"\\w+", part[p:])
                        if not w: r = None; break
                        value = w[0]; p += w.end()
                    value, name = re.sub(r"[ \\t]*[\\r\\n]\\s*", " ", value), f[1].lower()
                    if name in r and r[name] != value: r = None; break
                    r[name] = value
                if r: out.append({k: v.strip() for k, v in r.items()})
            return out
        for data in inputs: print(json.dumps(parse(data)))
        """

    @Test(
        .enabled(if: RealFile.isThere("bibtex-bibliotex/bibliotex.bib"), "bibliotex.bib is not there"))
    func `the entries of a real bibliography are all read or counted`() throws {
        let path = RealFile.path("bibtex-bibliotex/bibliotex.bib")
        let reading = try NamedReading(path: path)
        // 2,820 lines begin with the sign, and two more with a byte order mark before it.
        #expect(reading.records.count + reading.errors.count == 2_822)
        #expect(reading.errors.allSatisfy { !$0.isFatal })
        let expected = try PythonRecords.of(
            Self.program, on: [Array(try Data(contentsOf: URL(filePath: path)))])
        let others = Dictionary(grouping: expected[0]) { $0["citationKey"] }
        var compared = 0
        for record in reading.records {
            let trimmed = record.mapValues { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            if others[record["citationKey"]]?.contains(trimmed) == true { compared += 1 }
        }
        #expect(compared == reading.records.count, "\(reading.records.count - compared) differ")
    }

    @Test func `a rejected entry has its macros with it`() throws {
        var options = RecordOptions()
        options.keepsText = true
        let reading = try NamedReading(
            "@string{j = {J}}\n@string{k = {K}}\n@a{x, a = {1}, a = j, a = {2}}\n", options: options)
        #expect(reading.texts == ["@string{j = {J}}\n@a{x, a = {1}, a = j, a = {2}}"])
        let again = try bib(reading.texts[0].replacing("a = j, a = {2}", with: "b = j"))
        #expect(again.records.first?["b"] == "J")
    }

    @Test func `references of RIS are read, with repeated tags joined or numbered`() throws {
        let text =
            "\u{FEFF}TY  - JOUR\r\nAU  - Doe, John\r\nAU  - Roe, Jane\r\nTI  - A title\r\n that goes on\r\nPY  -\r\nER  - \r\n\r\nTY  - BOOK\nN1  -  x - y \nER  -\n"
        let joined = try NamedReading(text)
        #expect(joined.errors.isEmpty && joined.lines == [1, 9])
        #expect(
            joined.records == [
                ["TY": "JOUR", "AU": "Doe, John; Roe, Jane", "TI": "A title that goes on", "PY": ""],
                ["TY": "BOOK", "N1": "x - y"],
            ])
        var options = RecordOptions()
        options.numbersElements = true
        let numbered = try NamedReading(text, options: options)
        #expect(numbered.records[0]["AU"] == "Doe, John" && numbered.records[0]["AU.1"] == "Roe, Jane")
    }

    @Test func `references without an end or a beginning are bad`() throws {
        var options = RecordOptions()
        options.keepsText = true
        let reading = try NamedReading(
            "TY  - A\nTI  - 1\nTY  - B\nTI  - 2\nER  - \nTI  - 3\nER  - \nTY  - C\nTI  - 4\n",
            options: options)
        #expect(reading.records.map { $0["TI"] } == ["2"])
        #expect(reading.errors.map(\.line) == [1, 6, 8])
        #expect(reading.texts == ["TY  - A\nTI  - 1\n", "TI  - 3\nER  - \n", "TY  - C\nTI  - 4\n"])
        let reasons = reading.errors.map { "\($0)" }
        #expect(
            zip(reasons, ["no “ER  - ” before", "outside of a record", "truncated"]).allSatisfy {
                $0.contains($1)
            })
    }
}
