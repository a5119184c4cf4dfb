import CheckSupport
import RecordReading

/// A table, and a writer of CSV that shares nothing with the reader.
struct CSVTable {
    enum LineEnd: String, CaseIterable { case lineFeed = "\n", both = "\r\n", carriageReturn = "\r" }

    var rows: [[String]]

    /// A table of random fields with all that is difficult in CSV; the header's names differ.
    static func random(
        columns: Int, rows: Int, using generator: inout SeededGenerator
    ) -> CSVTable {
        let pieces = [
            "a", "Z", "0", " ", "\t", ",", ";", "\"", "\"\"", "\n", "\r", "\r\n", "é", "ß", "日本", "😀",
            "e\u{301}",
            "\u{FEFF}", "\u{7F}", "'", "\\", "word", "another word",
        ]
        var table = CSVTable(rows: [(0..<columns).map { "column \($0)" }])
        for _ in 0..<rows {
            table.rows.append(
                (0..<columns).map { _ in
                    let count = Int.random(in: 0...6, using: &generator)
                    return (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
                })
        }
        return table
    }

    /// The table as CSV. Fields that need no quotes are quoted now and then.
    func text(
        delimiter: Character, lineEnd: LineEnd, hasLastLineEnd: Bool, using generator: inout SeededGenerator
    ) -> String {
        var text = rows.map { row in
            let fields = row.map { field in
                let needsQuotes = field.unicodeScalars.contains {
                    "\"\r\n".unicodeScalars.contains($0) || Character($0) == delimiter
                }
                guard needsQuotes || Int.random(in: 0..<4, using: &generator) == 0 else { return field }
                return "\""
                    + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                    + "\""
            }
            // A lone empty field would look like an empty line.
            return row == [""] ? "\"\"" : fields.joined(separator: String(delimiter))
        }.joined(separator: lineEnd.rawValue)
        if hasLastLineEnd { text += lineEnd.rawValue }
        return text
    }

    /// The line on which each row begins, the header left out, counted in the text as it is defined: CR LF is
    /// one line end.
    func firstLines() -> [Int] {
        var line = 1
        return rows.dropLast().map { row in
            line += 1
            for field in row {
                var previous: Unicode.Scalar?
                for scalar in field.unicodeScalars {
                    if scalar == "\r" || (scalar == "\n" && previous != "\r") { line += 1 }
                    previous = scalar
                }
            }
            return line
        }
    }
}
