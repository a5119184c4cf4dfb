import RecordReading
import CheckSupport
import Testing

/// The reader sees a file through a window that is filled 256 KiB at a time. It must recognize every token
/// at any position of the window's end.
@Suite struct CSVWindowTests {
    private static let pieceSize = 256 << 10

    /// Reads a file whose records fill the window up to some bytes before its end, and continue with a record
    /// with the field `middle` and with other records.
    private func check(_ middle: String, written: String, endingBefore distance: Int, lineEnd: String) throws
    {
        let header = "number,text\(lineEnd)"
        let wanted = Self.pieceSize - distance
        var text = header
        var expected: [[String?]] = []
        // Short records, and one whose size makes up the difference.
        while text.utf8.count + 200 < wanted {
            text += "\(expected.count),some text\(lineEnd)"
            expected.append([String(expected.count), "some text"])
        }
        let filling = String(repeating: "x", count: wanted - text.utf8.count - 2 - lineEnd.utf8.count - 2)
        text += "f,\(filling)\(lineEnd)"
        expected.append(["f", filling])
        text += "m,"
        #expect(text.utf8.count == wanted)
        text += "\(written)\(lineEnd)"
        expected.append(["m", middle])
        for number in 0..<500 {
            text += "\(number),é\(lineEnd)"
            expected.append([String(number), "é"])
        }
        let reading = try Reading(csv: text)
        #expect(reading.errors.isEmpty)
        #expect(reading.records == expected, "\(distance) bytes before the window's end")
    }

    @Test(arguments: 0..<16)
    func `quoted line ends, doubled quotes and multi-byte characters are read at the window's end`(
        distance: Int
    ) throws {
        try check("a\r\nb", written: "\"a\r\nb\"", endingBefore: distance, lineEnd: "\n")
        try check("a\"b", written: "\"a\"\"b\"", endingBefore: distance, lineEnd: "\r\n")
        try check("\"", written: "\"\"\"\"", endingBefore: distance, lineEnd: "\r")
        try check("é日😀é", written: "é日😀é", endingBefore: distance, lineEnd: "\r\n")
        try check("", written: "", endingBefore: distance, lineEnd: "\r")
    }

    @Test(arguments: CSVTable.LineEnd.allCases)
    func `a file that ends at the window's end has all its records`(lineEnd: CSVTable.LineEnd) throws {
        for distance in 0..<4 {
            for last in ["", lineEnd.rawValue] {
                let start = "a,b\(lineEnd.rawValue)1,"
                let count = Self.pieceSize - distance - start.utf8.count - last.utf8.count
                let value = String(repeating: "v", count: count)
                #expect(try Reading(csv: start + value + last).records == [["1", value]])
            }
            let start = "a,b\(lineEnd.rawValue)"
            let value = String(repeating: "v", count: Self.pieceSize - distance - start.utf8.count - 1)
            #expect(try Reading(csv: start + value + ",").records == [[value, ""]])
        }
    }

    @Test func `a table larger than many windows is read back`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let table = CSVTable.random(columns: 6, rows: 40_000, using: &generator)
        let text = table.text(delimiter: ";", lineEnd: .both, hasLastLineEnd: true, using: &generator)
        #expect(text.utf8.count > 8 * Self.pieceSize)
        let reading = try Reading(csv: text)
        #expect(reading.errors.isEmpty, "seed \(seed)")
        #expect(reading.records == Array(table.rows.dropFirst()), "seed \(seed)")
        #expect(reading.lines == table.firstLines(), "seed \(seed)")
    }

    @Test func `a record of several windows is read, and so are the records after it`() throws {
        let value = String(repeating: "line\r\n\"\"quoted\"\"\r\n", count: 30_000)
        let text =
            "a,b,c,d\r\n" + (0..<3).map { "\($0),\"\(value)\",\"\(value)\",é\r\n" }.joined() + "x,y,z,😀"
        let reading = try Reading(csv: text)
        let plain = value.replacing("\"\"", with: "\"")
        #expect(reading.errors.isEmpty)
        #expect(reading.records == (0..<3).map { [String($0), plain, plain, "é"] } + [["x", "y", "z", "😀"]])
        #expect(reading.lines == [2, 120_003, 240_004, 360_005])
    }
}
