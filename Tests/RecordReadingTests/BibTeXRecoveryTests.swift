import RecordReading
import Testing

/// Entries of BibTeX that are bad, in comments or inside texts, and the entries after them.
@Suite struct BibTeXRecoveryTests {
    private func reading(_ text: String) throws -> NamedReading {
        var options = RecordOptions()
        options.keepsText = true
        return try NamedReading(text, options: options)
    }

    @Test(
        arguments: [
            ("@a{k, t = {x\n@book{no, y = {1}}\n}}", 0), ("@a{k, t = {x @book{no, y = {1}} }, bad bad}", 1),
            ("@a{k, t = {x\n@book{no, y = {1}}\n}, bad bad}", 1), ("@a{k, bad @book{no, y = {1}} }", 1),
            ("@a{k, t = \"x\n@book{no, y = {1}}\n\"}", 0), ("@a{k, t = no, n = {see @book{no, y = {1}}}}", 1),
            ("@a{k, t = {x\n@b{no,\n@c{no,\n@d{no,\n}}}\n}}", 0),
            ("@preamble{ {\n@book{no, y = {1}}\n} }", 0),
            ("@comment{\n@book{no, y = {1}}\n@book{no, y = {2}}\n}", 0), ("@comment{@book{no, y = {1}}}", 0),
            ("@a{k, a = {1}, a = {\n@book{no, y = {1}}\n}}", 1), ("% @book{no, y = {1}}", 0),
            ("@string{s = {\n@book{no, y = {1}}\n}}", 0), ("@string{s = no # {@book{no, y = {1}}} }", 1),
        ])
    func `a sign inside a text begins no entry`(text: String, errors: Int) throws {
        let reading = try reading("@a{first, x = {1}}\n\(text)\n@a{last, x = {2}}\n")
        let keys = reading.records.map { $0["citationKey"] ?? "" }
        #expect(keys.first == "first" && keys.last == "last" && !keys.contains("no"), "\(keys)")
        #expect(reading.errors.count == errors && reading.errors.allSatisfy { !$0.isFatal && $0.line == 2 })
    }

    @Test(
        arguments: [
            "@a{k, t = {x", "@a{k, t = {x}", "@a{k, t = \"x", "@a{k, t = {x\n y = {1},\n z = {2}}", "@a{k,",
            "@a(k, t = \"x, y = 2)", "@a{k, t = {x, y = {z}", "@comment{ x", "@preamble{ x", "@string{s = {x",
        ])
    func `a brace that is missing costs one entry`(text: String) throws {
        let others = (1...40).map { "@b{n\($0), t = {x}, u = \"y\"}\n" }.joined()
        let reading = try reading("\(text)\n\(others)")
        #expect(reading.records.map { $0["citationKey"] } == (1...40).map { "n\($0)" })
        #expect(reading.errors.count == (text.hasPrefix("@comment") || text.hasPrefix("@preamble") ? 0 : 1))
        #expect(reading.lines == (2...41).map { $0 + text.count { $0 == "\n" } })
    }

    @Test(
        arguments: [
            ("@a{x, t = {1}} @a{y, t = {2}}", ["x", "y"], 0), ("@a{x, t 1} @a{y, t = {2}}", ["y"], 1),
            ("@ a {x, t = {1}}", ["x"], 0), ("@in-book2{x, t = {1}}", ["x"], 0), ("a@b.org @x", [], 0),
            ("@article x, t = {1}}\n@a{y}", ["y"], 1), ("@comment no brace\n@a{y}", ["y"], 0),
        ] as [(String, [String], Int)])
    func `entries on one line and other types are read, and a type without a brace is bad`(
        text: String, keys: [String], errors: Int
    ) throws {
        let reading = try reading("@a{first}\n\(text)\n")
        #expect(reading.records.map { $0["citationKey"] } == ["first"] + keys)
        #expect(reading.errors.count == errors, "\(reading.errors)")
    }

    @Test(
        arguments: [
            ("% @book{no, y = {1}}\n", 1, 2), ("@comment{\n@a{b}\n@c{d, }}\n", 2, 3),
            ("article{no, y = {1}}\n@a{x}\n", 1, 2), ("text\n\n%% @a{x,}\n%@b{y,}\n", 2, 4),
            ("@comment{jabref-meta: @x}\n% a@b.org\n", 0, 0),
        ])
    func `entries in comments and without their sign are counted in a note`(
        text: String, count: Int, line: Int
    ) throws {
        let note = try reading("@a{first}\n\(text)@a{last}\n").note
        guard count > 0 else {
            #expect(note == nil)
            return
        }
        #expect(note?.contains("in line \(line)") == true, "\(note ?? "-")")
        #expect(note?.hasPrefix(count == 1 ? "The text in" : "\(count) texts look like") == true)
    }

    @Test func `a rejected entry has the macros that it needs, also later ones and those after its fault`()
        throws
    {
        let reading = try reading(
            """
            @string{j = {J}}
            @a{x, a b, c = j # "-" # l}
            @string{l = {L {M}}}
            @a{y, c = l # k}
            @a{z, c = m}
            @string{m = "M"}

            """)
        #expect(reading.records.isEmpty && reading.errors.count == 3)
        #expect(
            reading.texts == [
                "@string{j = {J}}\n@string{l = {L {M}}}\n@a{x, a b, c = j # \"-\" # l}",
                "@string{l = {L {M}}}\n@a{y, c = l # k}", "@string{m = {M}}\n@a{z, c = m}",
            ])
        #expect("\(reading.errors[1])".contains("“k” is not an @string"))
        #expect("\(reading.errors[2])".contains("“m” is defined only in line 6, below the entry"))
        // All but the macro that no line defines are in the texts.
        let mended = try NamedReading(
            reading.texts.joined(separator: "\n").replacing("a b, ", with: "").replacing(" # k", with: ""))
        #expect(mended.records.map { $0["c"] } == ["J-L {M}", "L {M}", "M"])
    }
}
