/// A parser of RIS, a list of references with a tag in each line: `TY  - JOUR` to `ER  - `.
final class RISParser: NamedRecordParser {
    /// The bytes that are parsed.
    let source: ByteSource
    /// The text around the records.
    var frame: RecordFrame? { RecordFrame() }
    private let numbersElements: Bool
    private let keepsText: Bool
    private var lines: LineScanner
    /// A line that begins the next record.
    private var held: [UInt8]?
    private var hasBegun = false
    private var preamble = ReferencePreamble(name: "RIS", unit: "record")
    /// A sentence about the lines above the first record.
    var note: String? { preamble.note }

    /// Creates a parser.
    init(_ source: ByteSource, options: RecordOptions) {
        self.source = source
        numbersElements = options.numbersElements
        keepsText = options.keepsText
        lines = LineScanner(source)
    }

    /// Returns the next record, which may be bad, or nil after the last.
    func next() throws(RecordError) -> NamedRecord? {
        var record: NamedRecord?
        var last: (tag: [UInt8], value: [UInt8])?
        var size = 0
        func complete() {
            guard let (tag, value) = last else { return }
            record?.addRepeated(tag, value, numbering: numbersElements)
            last = nil
        }
        while let line = try nextLine() {
            let kind = RISLine(line, after: last?.tag)
            let begins = kind.tag?.elementsEqual("TY".utf8) == true
            if record != nil, begins {
                complete()
                held = line
                record?.refuse(
                    .markup(
                        "the record has no “ER  - ” before the next one in line \(lines.number); add it after the last line of the record"
                    ))
                return record
            }
            if record == nil {
                if case .empty = kind { continue }
                hasBegun = hasBegun || begins
                guard hasBegun else {
                    preamble.add(line)
                    continue
                }
                record = NamedRecord(line: lines.number)
                if !begins {
                    record?.refuse(
                        .markup("the line is outside of a record; begin the record with “TY  - ”"))
                }
            }
            size += line.count
            guard size <= RecordLimits.recordSize else {
                throw fatal(
                    .limit("a record of more than \(RecordLimits.recordSize) bytes"),
                    line: record?.line ?? 0)
            }
            if keepsText { record?.text += line }
            switch kind {
            case .field(let tag, let value):
                complete()
                last = (tag, value)
            case .malformed(let tag):
                complete()
                record?.refuse(malformed(tag, line))
                last = (tag, [])
            case .text where last == nil || last?.tag.elementsEqual("TY".utf8) == true:
                record?.refuse(
                    .markup(
                        "line \(lines.number) has no tag, and no value above that it continues; begin it with a tag such as “TI  - ”"
                    ))
            case .text:
                // A line without a tag continues the value of the line above.
                if last?.value.isEmpty == false { last?.value.append(0x20) }
                last?.value += line[...].withoutBlanks
            case .empty: break
            }
            if last?.tag.elementsEqual("ER".utf8) == true { return record }
        }
        complete()
        record?.refuse(.markup("the record has no “ER  - ”; the file may be truncated, so get it again"))
        return record
    }

    private func nextLine() throws(RecordError) -> [UInt8]? {
        if let line = held {
            held = nil
            return line
        }
        guard let line = try lines.next() else { return nil }
        // The byte order mark of a file that was joined to another one.
        return line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line
    }

    /// Returns the reason of a line whose tag has another form.
    private func malformed(_ tag: [UInt8], _ line: [UInt8]) -> RecordError.Reason {
        let shown = String(decoding: line[...].withoutBlanks, as: UTF8.self).prefix(24)
        let tag = String(decoding: tag, as: UTF8.self)
        return .markup(
            "“\(shown)” in line \(lines.number) is not a line with a tag; write “\(tag)  - ” with two blanks before the hyphen and one after it"
        )
    }

    /// Returns the tag of a line: a capital letter, and a capital letter or a digit, before `  -`.
    static func tag(of line: [UInt8]) -> [UInt8]? {
        guard line.count >= 5, (0x41...0x5A).contains(line[0]),
            (0x41...0x5A).contains(line[1]) || line[1].isDigit, line[2] == 0x20, line[3] == 0x20,
            line[4] == UInt8(ascii: "-"), line.count == 5 || line[5].isBlank
        else { return nil }
        return Array(line[..<2])
    }
}
