/// A parser of BibTeX: entries with fields, macros of `@string`, comments and preambles.
///
/// A line that begins with `@name{` begins an entry in any case, so that reading continues there after an
/// entry whose braces are not balanced.
final class BibTeXParser: NamedRecordParser {
    /// The bytes that are parsed.
    let source: ByteSource
    /// The text around the records.
    var frame: RecordFrame? { RecordFrame() }
    private let keepsText: Bool
    private var lines: LineScanner
    private var held: [UInt8]?
    /// The texts of the macros, by their names in small letters.
    private var macros: [[UInt8]: [UInt8]] = [:]
    private var macroSize = 0
    /// The records of the text that was read last, in reverse order.
    private var records: [NamedRecord] = []

    /// The largest size of all macros, in bytes.
    private static let maximumMacroSize = 4 << 20

    /// Creates a parser.
    init(_ source: ByteSource, options: RecordOptions) {
        self.source = source
        keepsText = options.keepsText
        lines = LineScanner(source)
    }

    /// Returns the next record, which may be bad, or nil after the last.
    func next() throws(RecordError) -> NamedRecord? {
        while records.isEmpty {
            guard let (text, line) = try nextPart() else { return nil }
            var parser = BibTeXEntryParser(text, line: line, macros: macros)
            while let item = parser.next() {
                switch item {
                case .macro(let name, let value):
                    macroSize += name.count + value.count
                    guard macroSize <= Self.maximumMacroSize else {
                        throw fatal(
                            .limit("macros of more than \(Self.maximumMacroSize) bytes"), line: line)
                    }
                    macros[name] = value
                    parser.macros = macros
                case .entry(var record, let range, let used):
                    if keepsText { record.text = Self.definitions(used, macros) + text[range] }
                    records.append(record)
                }
            }
            records.reverse()
        }
        return records.popLast()
    }

    /// Returns the definitions of macros, so that an entry with them can be read alone.
    private static func definitions(_ names: Set<[UInt8]>, _ macros: [[UInt8]: [UInt8]]) -> [UInt8] {
        var text: [UInt8] = []
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let value = macros[name] else { continue }
            text += Array("@string{".utf8) + name + Array(" = {".utf8)
            text += value + Array("}}\n".utf8)
        }
        return text
    }

    /// Returns the text from a line that begins an entry to the next such line, and the line's number.
    private func nextPart() throws(RecordError) -> (text: [UInt8], line: Int)? {
        var text: [UInt8] = []
        var first = 0
        while let line = try nextLine() {
            if Self.beginsEntry(line) {
                if first > 0 {
                    held = line
                    return (text, first)
                }
                first = lines.number
            }
            // The text before the first entry is a comment.
            guard first > 0 else { continue }
            text += line
            guard text.count <= RecordLimits.recordSize else {
                throw fatal(
                    .limit("an entry of more than \(RecordLimits.recordSize) bytes"), line: first)
            }
        }
        return first > 0 ? (text, first) : nil
    }

    private func nextLine() throws(RecordError) -> [UInt8]? {
        guard let line = held else { return try lines.next() }
        held = nil
        return line
    }

    /// Returns whether a line begins with `@name{` or `@name(`.
    static func beginsEntry(_ line: some Sequence<UInt8>) -> Bool {
        var isAfterSign = false
        var letters = 0
        // The byte order mark of a file that was joined to another one.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let line = line.starts(with: mark) ? Array(line.dropFirst(3)) : Array(line)
        for byte in line {
            if !isAfterSign {
                if byte == UInt8(ascii: "@") { isAfterSign = true } else if !byte.isBlank { return false }
            } else if byte.isLetter {
                letters += 1
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "(") {
                return letters > 0
            } else if byte != 0x20 && byte != 0x09 {
                return false
            }
        }
        return false
    }
}
