import RecordReading
import Testing

/// Lines of RIS whose tags are not written exactly.
@Suite struct RISTagTests {
    private func reading(_ lines: String...) throws -> NamedReading {
        var options = RecordOptions()
        options.keepsText = true
        let text = lines.map { $0 + "\n" }.joined()
        return try NamedReading(
            "TY  - JOUR\nTI  - A\n\(text)ER  - \nTY  - BOOK\nTI  - B\nER  - \n", options: options)
    }

    @Test(
        arguments: [
            "AU- Doe", "AU - Doe", "AU -Doe", "AU  -Doe", "AU-Doe", "au  - Doe", "Au - Doe", "AU   - Doe",
            "AU\t- Doe", "  AU  - Doe", "AU  \u{2013} Doe", "AU  Doe", "ZZ - x", "ZZ- x", "er  - ", "PY-2001",
        ])
    func `a tag in another form makes its record bad, and is named with the right form`(line: String) throws {
        let reading = try reading(line)
        #expect(reading.records.map { $0["TI"] } == ["B"], "\(reading.records)")
        let reason = "\(reading.errors)"
        let tag = line.contains("ZZ") ? "ZZ" : line.contains("PY") ? "PY" : line.contains("er") ? "ER" : "AU"
        #expect(reason.contains("in line 3 is not a line with a tag"), "\(reason)")
        #expect(reason.contains("write “\(tag)  - ”"), "\(reason)")
        #expect(reading.texts.first?.contains(line) == true)
    }

    @Test(
        arguments: [
            ("TI", "that goes on"), ("TI", "co-operation of A"), ("TI", "UK-based and so on"),
            ("TI", " indented - text"), ("AB", "T1-weighted images"), ("AB", "of - as they say"),
            ("N1", "ad - hoc"),
            ("AB", "PP  12"),
        ])
    func `a line of text continues the value above`(tag: String, line: String) throws {
        let reading = try reading("\(tag)  - x", line)
        #expect(reading.errors.isEmpty, "\(reading.errors)")
        let value = reading.records.first?[tag] ?? ""
        #expect(value.hasSuffix("x " + line.drop { $0 == " " }), "\(value)")
    }

    @Test func `a line of text that continues no value makes its record bad`() throws {
        let reading = try NamedReading(
            "TY  - JOUR\nfree text\nTI  - A\nER  - \nfree\nTY  - B\nTI  - B\nER  - \n")
        #expect(reading.records.map { $0["TI"] } == ["B"])
        #expect(reading.errors.map(\.line) == [1, 5])
        #expect("\(reading.errors[0])".contains("line 2 has no tag"), "\(reading.errors)")
        #expect("\(reading.errors[1])".contains("outside of a record"), "\(reading.errors)")
    }

    @Test func `records whose first and last tags have another form are counted one by one`() throws {
        let reading = try NamedReading("TY - A\nAU - x\nER -\n\nTY - B\nAU - y\nTY  - C\nTI  - c\nER  - \n")
        #expect(reading.errors.map(\.line) == [1, 5])
        #expect(reading.records == [["TY": "C", "TI": "c"]])
        let joined = try NamedReading("TY  - A\nER  - \n\u{FEFF}TY  - B\nER  - \n")
        #expect(joined.errors.isEmpty && joined.records.map { $0["TY"] } == ["A", "B"])
    }
}
