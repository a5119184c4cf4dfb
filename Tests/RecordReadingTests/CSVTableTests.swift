import RecordReading
import CheckSupport
import Testing

@Suite struct CSVTableTests {
    @Test(arguments: [Character(","), ";", "\t"], CSVTable.LineEnd.allCases)
    func `a written table is read back`(delimiter: Character, lineEnd: CSVTable.LineEnd) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let columns = Int.random(in: 2...9, using: &generator)
            let table = CSVTable.random(
                columns: columns, rows: Int.random(in: 0...40, using: &generator), using: &generator)
            let hasMark = Bool.random(using: &generator)
            let hasLastLineEnd = Bool.random(using: &generator)
            let text = table.text(
                delimiter: delimiter, lineEnd: lineEnd, hasLastLineEnd: hasLastLineEnd, using: &generator)
            let bytes = (hasMark ? [0xEF, 0xBB, 0xBF] : []) + Array(text.utf8)
            let isDetected = Bool.random(using: &generator)
            let reading = try Reading(
                csv: bytes, options: CSVReader.Options(delimiter: isDetected ? nil : delimiter.asciiValue))
            let comment: Comment = "seed \(seed), round \(round)"
            #expect(reading.errors.isEmpty, comment)
            #expect(reading.fieldNames == table.rows[0], comment)
            // Texts are compared as scalars, because Swift's == treats é and e with a combining accent as
            // equal.
            #expect(scalars(reading.records) == scalars(Array(table.rows.dropFirst())), comment)
            #expect(reading.lines == table.firstLines(), comment)
        }
    }

    @Test func `a table of one column is read back, empty fields included`() throws {
        let table = CSVTable(rows: [["name"], ["a"], [""], ["b,c"], [""]])
        var generator = SeededGenerator(seed: 1)
        for hasLastLineEnd in [true, false] {
            let text = table.text(
                delimiter: ",", lineEnd: .both, hasLastLineEnd: hasLastLineEnd, using: &generator)
            #expect(try Reading(csv: text).records == [["a"], [""], ["b,c"], [""]])
        }
    }

    @Test(
        arguments: [
            ("a,b\n1,2", [["1", "2"]]),
            ("a,b\n1,2\n", [["1", "2"]]),
            ("a,b\n1,", [["1", ""]]),
            ("a,b\n,", [["", ""]]),
            ("a,b\n\"1\",\"\"", [["1", ""]]),
            ("a,b\n1,2\r", [["1", "2"]]),
            ("a,b\r1,2\r3,4", [["1", "2"], ["3", "4"]]),
            ("a,b\n\n\r\n1,2\n\n", [["1", "2"]]),
            ("\n\r\n\ra,b\n1,2", [["1", "2"]]),
            ("a,b\n1,x\"y\"\n", [["1", "x\"y\""]]),
            ("a,b", []),
            ("a,b\n", []),
        ] as [(String, [[String]])])
    func `records are read with every form of line ends and empty lines`(text: String, records: [[String]])
        throws
    {
        let reading = try Reading(csv: text)
        #expect(reading.errors.isEmpty)
        #expect(reading.records == records)
    }

    @Test(
        arguments: [
            ("a,b,c;d", ","), ("a;b;c,d", ";"), ("a\tb,c\td", "\t"), ("\"a;b;c;d\",e,f", ","), ("a", ","),
            ("a\nb;c;d;e", ","), ("\"a\"\"\";\"b\"", ";"),
            ("\r\n\na;b;c,d", ";"),
        ] as [(String, Character)])
    func `the delimiter is the most frequent one in the header outside quotes`(
        text: String, delimiter: Character
    ) throws {
        let file = try TemporaryFile(text)
        #expect(try CSVReader(path: file.path).delimiter == delimiter.asciiValue)
    }

    private func scalars(_ rows: [[String?]]) -> [[[UInt32]]] {
        rows.map { $0.map { ($0 ?? "nothing").unicodeScalars.map(\.value) } }
    }
}
