/// A parser of BibTeX: entries with fields, macros of `@string`, comments and preambles.
///
/// A line that begins with `@name{` begins an entry, so that reading continues there after an entry whose
/// braces are not balanced. Such a line is text only inside a value or a comment that is closed after it.
final class BibTeXParser: NamedRecordParser {
    /// The text from a line that begins an entry to the next such line.
    private struct Part {
        let text: [UInt8]
        let line: Int
    }

    /// The bytes that are parsed.
    let source: ByteSource
    /// The text around the records.
    var frame: RecordFrame? { RecordFrame() }
    private let keepsText: Bool
    private var lines: LineScanner
    private var held: [UInt8]?
    private let macros: BibTeXMacros
    private var preamble = ReferencePreamble(name: "BibTeX", unit: "entry")
    /// The entries that are not read because they are comments, or because they lack the sign `@`.
    private var leftOut = BibTeXComments()
    /// The parts that were read ahead, after those that are done.
    private var ahead: [Part] = []
    private var doneCount = 0
    /// The error at which the parts end.
    private var failure: RecordError?
    /// The number of bytes in comments that turned out not to be closed.
    private var wastedSize = 0
    /// The records of the text that was read last, in reverse order.
    private var records: [NamedRecord] = []

    /// The number of lines that begin an entry and are text inside one value.
    private static let maximumQuotedLines = 16

    /// Creates a parser.
    ///
    /// - Parameter reopened: Returns the source from its beginning again, or nil if it can be read only once.
    init(_ source: ByteSource, options: RecordOptions, reopened: @escaping () -> ByteSource? = { nil }) {
        self.source = source
        keepsText = options.keepsText
        lines = LineScanner(source)
        macros = BibTeXMacros { reopened().map { BibTeXParser(definitionsIn: $0).definitions() } ?? [:] }
    }

    /// Creates a parser for the macros of a file.
    private init(definitionsIn source: ByteSource) {
        self.source = source
        keepsText = false
        lines = LineScanner(source)
        macros = BibTeXMacros()
    }

    /// Sentences about the lines above the first entry, and about entries that are not read.
    var note: String? {
        let notes = [preamble.note, leftOut.note].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    /// Returns the next record, which may be bad, or nil after the last.
    func next() throws(RecordError) -> NamedRecord? {
        while records.isEmpty {
            guard try readPart({ _, _, _ in }) else { return nil }
            records.reverse()
        }
        return records.popLast()
    }

    /// Returns the definitions of all macros, the first one of each.
    private func definitions() -> [[UInt8]: BibTeXMacros.Definition] {
        var result: [[UInt8]: BibTeXMacros.Definition] = [:]
        func add(_ name: [UInt8], _ text: [UInt8], _ line: Int) {
            if result[name] == nil { result[name] = .init(text: text, line: line) }
        }
        // The import itself reports an error of the file.
        while (try? readPart(add)) == true { records.removeAll() }
        return result
    }

    /// Reads the entries of a part, and returns false at the end of the file.
    private func readPart(_ define: ([UInt8], [UInt8], Int) -> Void) throws(RecordError) -> Bool {
        guard let part = try nextPart() else { return false }
        var parser = BibTeXEntryParser(part.text, line: part.line, macros: macros) { number, isComment in
            self.part(ahead: number, isComment: isComment)
        }
        while let item = parser.next() {
            switch item {
            case .macro(let name, let value, let line):
                guard macros.define(name, value) else {
                    throw fatal(
                        .limit("macros of more than \(BibTeXMacros.maximumSize) bytes"), line: line)
                }
                define(name, value, line)
            case .entry(var record, let text):
                if keepsText { record.text = macros.definitions(for: text) + text }
                records.append(record)
            }
        }
        leftOut.add(parser.leftOut)
        wastedSize += parser.wastedSize
        dropAhead(parser.partCount)
        return true
    }

    /// Returns one of the next parts, which may be text of the current entry, or nil for one that is not.
    private func part(ahead number: Int, isComment: Bool) -> [UInt8]? {
        // Comments that are not closed must not be searched for their end over and over.
        let mayBeLong = isComment && wastedSize < RecordLimits.recordSize + 4 * source.offset
        guard number < (mayBeLong ? Int.max : Self.maximumQuotedLines) else { return nil }
        let number = number + doneCount
        while ahead.count <= number {
            do throws(RecordError) {
                guard failure == nil, let part = try readPart() else { return nil }
                ahead.append(part)
            } catch {
                failure = error
            }
        }
        return ahead[number].text
    }

    private func nextPart() throws(RecordError) -> Part? {
        if doneCount < ahead.count {
            defer { dropAhead(1) }
            return ahead[doneCount]
        }
        if let failure { throw failure }
        return try readPart()
    }

    private func dropAhead(_ count: Int) {
        doneCount += count
        guard doneCount * 2 > ahead.count else { return }
        ahead.removeFirst(doneCount)
        doneCount = 0
    }

    private func readPart() throws(RecordError) -> Part? {
        var text: [UInt8] = []
        var first = 0
        while let line = try nextLine() {
            if Self.beginsEntry(line) {
                if first > 0 {
                    held = line
                    return Part(text: text, line: first)
                }
                first = lines.number
            }
            // The text before the first entry is a comment.
            guard first > 0 else {
                preamble.add(line)
                continue
            }
            text += line
            guard text.count <= RecordLimits.recordSize else {
                throw fatal(
                    .limit("an entry of more than \(RecordLimits.recordSize) bytes"), line: first)
            }
        }
        return first > 0 ? Part(text: text, line: first) : nil
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
            } else if byte.isLetter || letters > 0 && (byte.isDigit || "-_.:+*/".utf8.contains(byte)) {
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
