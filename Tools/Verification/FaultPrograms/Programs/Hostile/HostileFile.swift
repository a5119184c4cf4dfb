import RecordReading
import CheckSupport

/// A file to import and the required result, made by the rules of the formats and without the readers.
struct HostileFile {
    /// The kinds of malformed files, and of files that only appear to be malformed.
    enum Kind: CaseIterable {
        // Refused.
        case unclosedQuote, textAfterQuote, nul, invalidUTF8, fieldCount, largeField, largeRecord
        case millionFields, millionColumns, badNumber, compressed, fileSize, rowCount
        case deepArrays, deepObjects, duplicateKey, hugeNumber, hugeInteger, surrogate, control, nulEscape
        case truncatedJSON, trailing, invalidJSONText, barewords, longNames
        // Imported.
        case mark, utf16, carriageReturns, quotes, formulas, replaced, deepestAllowed, noRows
    }

    /// The message with which the importer must refuse a file.
    struct Refusal {
        /// The line on which the record begins; nil if the message is about the whole file.
        let line: Int?
        let words: String
    }

    /// The identifier of the first song in a file.
    static let firstIdentifier = 1_000

    var bytes: [UInt8] = []
    var isJSON = false
    /// Further options for the importer.
    var options: [String] = []
    var refusal: Refusal?
    /// The titles that must be imported if the file is not refused.
    var titles: [String?] = []

    /// The numbers of correct rows before and after the malformed one.
    private let before: Int
    private let behind: Int

    init(_ kind: Kind, using generator: inout SeededGenerator) {
        // At least one, which gives the fields of a JSON file.
        before = Int.random(in: 1...30, using: &generator)
        behind = Int.random(in: 0...5, using: &generator)
        switch kind {
        case .mark, .utf16, .carriageReturns, .quotes, .formulas, .replaced, .deepestAllowed, .noRows:
            makeHarmless(kind, using: &generator)
        case .deepArrays, .deepObjects, .duplicateKey, .hugeNumber, .hugeInteger, .surrogate, .control,
            .nulEscape,
            .truncatedJSON, .trailing, .invalidJSONText, .barewords, .longNames:
            makeJSON(kind, using: &generator)
        default: makeCSV(kind, using: &generator)
        }
    }

    // MARK: CSV

    private static let header = "id,title,length\n"

    private func row(_ number: Int) -> String {
        "\(Self.firstIdentifier + number),Title \(number),\(number).5\n"
    }

    /// Makes a file with one bad row among good ones.
    private mutating func setRow(_ row: [UInt8], refusedFor words: String) {
        let good = (0..<before).map(self.row).joined()
        let rest = (before + 1..<before + 1 + behind).map(self.row).joined()
        bytes = Array((Self.header + good).utf8) + row + Array(rest.utf8)
        refusal = Refusal(line: before + 2, words: words)
    }

    private mutating func setRow(_ row: String, refusedFor words: String) {
        setRow(Array(row.utf8), refusedFor: words)
    }

    private mutating func makeCSV(_ kind: Kind, using generator: inout SeededGenerator) {
        let identifier = "\(Self.firstIdentifier + before)"
        func field(_ count: Int) -> String { String(repeating: "x", count: count) }
        switch kind {
        case .unclosedQuote: setRow("\(identifier),\"never closed,1\n", refusedFor: "never closed")
        case .textAfterQuote: setRow("\(identifier),\"a\"b,1\n", refusedFor: "text follows the closing quote")
        case .nul: setRow("\(identifier),a\0b,1\n", refusedFor: "contains a NUL byte")
        case .invalidUTF8:
            let start = Array("\(identifier),ok é ".utf8)
            let bad = Self.notUTF8.randomElement(using: &generator)!
            setRow(start + bad + Array(",1\n".utf8), refusedFor: "")
            let offset =
                Self.header.utf8.count + (0..<before).reduce(0) { $0 + row($1).utf8.count } + start.count
            refusal = Refusal(line: before + 2, words: "not UTF-8 at byte \(offset);")
        case .fieldCount:
            let count = [1, 2, 4, 50].randomElement(using: &generator)!
            setRow(
                Array(repeating: identifier, count: count).joined(separator: ",") + "\n",
                refusedFor: "has \(count) fields, the header 3")
        case .largeField:
            setRow(
                "\(identifier),\(field((1 << 20) + 1)),1\n", refusedFor: "a field of more than 1048576 bytes")
        case .largeRecord:
            setRow(
                "\(identifier),\"\(field(5 << 20))\",1\n", refusedFor: "a record of more than 4194304 bytes")
        case .millionFields:
            setRow(String(repeating: ",", count: 1_000_000) + "\n", refusedFor: "more than 4096 fields")
        case .millionColumns:
            bytes = Array((0..<1_000_000).map { "c\($0)" }.joined(separator: ",").utf8)
            // The number of bytes may exceed the limit before the number of fields does.
            refusal = Refusal(line: 1, words: "more than 4")
        case .badNumber:
            let number = ["1e400", "-1e999", "nan", "inf", "0x10", "٣", "1,5", "1e"].randomElement(
                using: &generator)!
            setRow("\(identifier),a,\"\(number)\"\n", refusedFor: "is not a valid double")
        case .compressed:
            bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0] + generator.bytes(500).map { $0 | 0x80 }
            refusal = Refusal(line: nil, words: "the compressed data")
        case .fileSize:
            setRow(row(before), refusedFor: "")
            options = ["--max-file-size", "\(bytes.count - 1)"]
            refusal = Refusal(line: nil, words: "the file has more than \(bytes.count - 1) bytes")
        case .rowCount:
            setRow(row(before), refusedFor: "")
            options = ["--max-rows", "\(before)"]
            refusal = Refusal(line: before + 2, words: "the file has more than \(before) records")
        default: preconditionFailure("\(kind) is no CSV")
        }
    }

    /// Overlong forms, lone surrogates, code points beyond Unicode, and lone lead and continuation bytes.
    private static let notUTF8: [[UInt8]] = [
        [0x80], [0xFF], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
        [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xFE, 0xFE],
    ]

    // MARK: JSON

    private func object(_ number: Int) -> String {
        "{\"id\": \(Self.firstIdentifier + number), \"title\": \"Title \(number)\", \"length\": \(number).5}"
    }

    /// Makes a file of lines with a bad one among good ones.
    private mutating func setLine(_ line: [UInt8], refusedFor words: String) {
        isJSON = true
        let good = (0..<before).map { object($0) + "\n" }.joined()
        let rest = (before + 1..<before + 1 + behind).map { "\n" + object($0) }.joined()
        bytes = Array(good.utf8) + line + Array(rest.utf8)
        refusal = Refusal(line: before + 1, words: words)
    }

    private mutating func setTitle(_ title: String, refusedFor words: String) {
        setLine(
            Array("{\"id\": \(Self.firstIdentifier + before), \"title\": \(title), \"length\": 1}".utf8),
            refusedFor: words)
    }

    private mutating func makeJSON(_ kind: Kind, using generator: inout SeededGenerator) {
        let depth = [64, 65, 100, 1_000, 100_000].randomElement(using: &generator)!
        switch kind {
        case .deepArrays:
            setTitle(
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
                refusedFor: "more than 64 levels of nesting")
        case .deepObjects:
            setTitle(
                String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth),
                refusedFor: "more than 64 levels of nesting")
        case .duplicateKey: setTitle("\"a\", \"title\": \"b\"", refusedFor: "duplicate name “title”")
        case .hugeNumber:
            let number = ["1e999", "-1e400", "1" + String(repeating: "0", count: 400)].randomElement(
                using: &generator)!
            setLine(
                Array(
                    "{\"id\": \(Self.firstIdentifier + before), \"title\": \"a\", \"length\": \(number)}".utf8
                ),
                refusedFor: "is not a valid double")
        case .hugeInteger:
            let number = ["9223372036854775808", "-9223372036854775809", "1e30", "1.5"].randomElement(
                using: &generator)!
            setLine(
                Array("{\"id\": \(number), \"title\": \"a\", \"length\": 1}".utf8),
                refusedFor: "is not a valid integer64")
        case .surrogate:
            setTitle(
                "\"\\ud83d\(Bool.random(using: &generator) ? "x" : "\\ud83d")\"",
                refusedFor: "half a surrogate pair at byte")
        case .control: setTitle("\"a\u{1}b\"", refusedFor: "a control character must be escaped at byte")
        case .nulEscape: setTitle("\"a\\u0000b\"", refusedFor: "a NUL character at byte")
        case .truncatedJSON:
            setLine([], refusedFor: "")
            bytes = Array(("[" + (0...before).map(object).joined(separator: ",\n")).utf8.dropLast(4))
            refusal = Refusal(line: before + 1, words: "at byte \(bytes.count)")
        case .trailing:
            isJSON = true
            bytes = Array("[\(object(0))] garbage".utf8)
            refusal = Refusal(line: 1, words: "something follows the array at byte")
        case .invalidJSONText:
            let bad = Self.notUTF8.randomElement(using: &generator)!
            let start = Array("{\"id\": \(Self.firstIdentifier + before), \"title\": \"é ".utf8)
            setLine(start + bad + Array("\", \"length\": 1}".utf8), refusedFor: "")
            let offset = (0..<before).reduce(0) { $0 + object($1).utf8.count + 1 } + start.count
            refusal = Refusal(line: before + 1, words: "not UTF-8 at byte \(offset);")
        case .barewords:
            setTitle(
                ["NaN", "Infinity", "'a'", "01", "+1", ".5", "undefined"].randomElement(using: &generator)!,
                refusedFor: "at byte")
        case .longNames:
            // The name of each inner field would begin with the outer name.
            let name = String(
                repeating: "n", count: [4_096, 100_000, 1 << 20].randomElement(using: &generator)!)
            let fields = (0..<4_000).map { "\"a\($0)\": 1" }.joined(separator: ", ")
            setTitle("{\"\(name)\": {\(fields)}}", refusedFor: "a name of more than 4096 bytes")
        default: preconditionFailure("\(kind) is no JSON")
        }
    }

    // MARK: Harmless files

    private mutating func makeHarmless(_ kind: Kind, using generator: inout SeededGenerator) {
        let count = before + 1
        titles = (0..<count).map { "Title \($0)" }
        let rows = (0..<count).map(row).joined()
        switch kind {
        case .mark: bytes = [0xEF, 0xBB, 0xBF] + Array((Self.header + rows).utf8)
        case .utf16:
            let isLittle = Bool.random(using: &generator)
            let units = Array((Self.header + rows).utf16)
            bytes = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
            for unit in units {
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                bytes += isLittle ? [low, high] : [high, low]
            }
        case .carriageReturns: bytes = Array((Self.header + rows).utf8.map { $0 == 0x0A ? 0x0D : $0 })
        case .quotes, .formulas:
            let unusual =
                kind == .formulas
                ? ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3"]
                : [
                    "a,b", "\"", "\r\n", "\n\n", "\"\"", "'; DROP TABLE Song; --", "\u{1B}[31m", "e\u{301}",
                    "\u{202E}",
                ]
            titles = (0..<count).map { _ in unusual.randomElement(using: &generator)! }
            bytes = Array(Self.header.utf8)
            for (number, title) in titles.enumerated() {
                let quoted = (title ?? "").split(separator: "\"", omittingEmptySubsequences: false)
                    .joined(separator: "\"\"")
                bytes += Array("\(Self.firstIdentifier + number),\"\(quoted)\",\n".utf8)
            }
        case .replaced:
            options = ["--replace-invalid"]
            titles = ["a\u{FFFD}b"]
            bytes = Array("\(Self.header)\(Self.firstIdentifier),a".utf8) + [0xFF] + Array("b,1\n".utf8)
        case .deepestAllowed:
            isJSON = true
            titles = ["a"]
            // The object is the first of 64 levels.
            bytes = Array(
                "[{\"id\": \(Self.firstIdentifier), \"title\": \"a\", \"length\": 1, \"other\": \(String(repeating: "[", count: 63))\(String(repeating: "]", count: 63))}]"
                    .utf8)
        case .noRows:
            titles = []
            bytes = Array(Self.header.utf8)
        default: preconditionFailure("\(kind) is refused")
        }
    }
}
