import CheckSupport
import RecordReading

/// A table with a CSV writer that shares no code with the reader.
struct CSVTable {
    enum LineEnd: String, CaseIterable { case lineFeed = "\n", both = "\r\n", carriageReturn = "\r" }

    var rows: [[String]]

    /// Returns a table of random fields with all characters that are difficult in CSV, and a header of
    /// different names.
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

    /// Returns the table as CSV. Some of the fields that need no quotes are quoted.
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
            // A single empty field would look like an empty line.
            return row == [""] ? "\"\"" : fields.joined(separator: String(delimiter))
        }.joined(separator: lineEnd.rawValue)
        if hasLastLineEnd { text += lineEnd.rawValue }
        return text
    }

    /// Returns the line on which each row after the header begins. CR LF counts as one line end.
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
