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
            let tag = Self.tag(of: line)
            if record != nil, tag?.elementsEqual("TY".utf8) == true {
                complete()
                held = line
                record?.refuse(
                    .markup(
                        "the record has no “ER  - ” before the next one in line \(lines.number); add it after the last line of the record"
                    ))
                return record
            }
            let isEmpty = line.allSatisfy(\.isBlank)
            if record == nil {
                if isEmpty { continue }
                record = NamedRecord(line: lines.number)
                if tag?.elementsEqual("TY".utf8) != true {
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
            if let tag {
                complete()
                if tag.elementsEqual("ER".utf8) { return record }
                last = (tag, Array(line[5...].withoutBlanks))
            } else if !isEmpty {
                if last == nil { last = (Array("TX".utf8), []) }
                // A line without a tag continues the value of the line above.
                if last?.value.isEmpty == false { last?.value.append(0x20) }
                last?.value += line[...].withoutBlanks
            }
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
        return try lines.next()
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
