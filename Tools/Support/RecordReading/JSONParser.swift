/// The limits that differ between files of records and documents of this project, such as mapping files.
struct JSONLimits {
    /// The size of a record, in bytes.
    var recordSize = RecordLimits.recordSize
    /// The number of fields of a record, and of all records together.
    var fieldCount = RecordLimits.fieldCount
}

/// A strict parser of JSON (RFC 8259) that reads one object at a time and flattens it into named fields.
///
/// The window is consumed record by record, so that the parser can return to the beginning of a record after
/// an error.
struct JSONParser {
    let source: ByteSource
    let replacesInvalidUTF8: Bool
    let limits: JSONLimits
    /// Whether each element of an array is a field with the element's number in its name, and not the array
    /// one field with its JSON text.
    let numbersElements: Bool
    /// Whether the parser is inside an array that becomes one field.
    var isInArrayText = false
    /// The positions of the fields that were arrays in a record.
    var arrayFields: Set<Int> = []
    /// The names seen so far.
    var names = JSONFieldNames()
    /// The treatment of a field with a new name.
    enum NewNames {
        /// The field is added.
        case taken
        /// The field is ignored.
        case leftOut
        /// The record is an error.
        case refused
    }

    var newNames = NewNames.taken
    /// The ignored names of the current record so far.
    var namesLeftOut: Set<[UInt8]> = []
    /// The record that was read last.
    var record = JSONRecord()
    var keys = JSONOpenKeys()
    /// The dotted name of the current value.
    var path: [UInt8] = []
    /// The number of fields of the current record so far, including ignored ones.
    var fieldCount = 0
    var nextGuess = 0
    /// The line of the next byte.
    var line = 1
    /// The line on which the record begins.
    var recordLine = 1
    /// The window's bytes that are not consumed. The pointer changes when the window is filled.
    private(set) var bytes: UnsafePointer<UInt8>
    /// The number of bytes that are not consumed.
    private(set) var count: Int
    /// The position of the next byte in `bytes`.
    var position = 0
    /// Whether the texts of records are kept.
    var keepsText = false
    /// The consumed bytes of the text that is kept.
    private var keptText: [UInt8] = []
    /// The position at which the rest of that text begins, or nil if no text is kept now.
    private var keptStart: Int?

    init(
        source: ByteSource, replacesInvalidUTF8: Bool, numbersElements: Bool = true, limits: JSONLimits
    ) {
        self.limits = limits
        self.numbersElements = numbersElements
        self.source = source
        self.replacesInvalidUTF8 = replacesInvalidUTF8
        bytes = UnsafePointer(source.bytes + source.start)
        count = source.available
    }

    /// The offset in the file of the next byte.
    var offset: Int { source.offset + position }

    /// Returns the next byte without consuming it, or nil at the end of the file.
    @inline(__always)
    mutating func peek() throws(RecordError) -> UInt8? {
        if position == count { guard try fill() else { return nil } }
        return bytes[position]
    }

    /// Skips the next byte, which must exist.
    mutating func advance() { position += 1 }

    /// Reads more bytes, and returns false at the end of the file.
    private mutating func fill() throws(RecordError) -> Bool {
        try checkSize()
        let hasMore = try source.fill()
        bytes = UnsafePointer(source.bytes + source.start)
        count = source.available
        return hasMore
    }

    func checkSize() throws(RecordError) {
        guard position > limits.recordSize else { return }
        throw RecordError(
            file: source.path, line: recordLine,
            reason: .limit("a record of more than \(limits.recordSize) bytes"), isFatal: true)
    }

    /// Consumes the bytes before the position, at which a record begins.
    mutating func beginRecord() {
        discard()
        recordLine = line
    }

    /// Begins to keep the text from the position on.
    mutating func beginText() {
        guard keepsText else { return }
        keptText.removeAll(keepingCapacity: true)
        keptStart = position
    }

    /// Returns the text that was kept, up to the position, without white space at its ends; nothing if it is
    /// longer than a record may be.
    mutating func takeText() -> [UInt8] {
        keepText()
        keptStart = nil
        guard keptText.count <= limits.recordSize else { return [] }
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let start = keptText.firstIndex { !isSpace($0) } ?? keptText.endIndex
        let end = keptText.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return Array(keptText[start..<end])
    }

    private mutating func keepText() {
        guard let start = keptStart else { return }
        if start < position, keptText.count <= limits.recordSize {
            keptText.append(
                contentsOf: UnsafeBufferPointer(start: bytes + start, count: position - start))
        }
        keptStart = 0
    }

    /// Consumes the bytes before the position.
    mutating func discard() {
        keepText()
        source.consume(position)
        bytes += position
        count -= position
        position = 0
    }

    /// Returns to the beginning of the record and skips the rest of that line.
    mutating func skipFirstLine() throws(RecordError) {
        position = 0
        line = recordLine
        while let byte = try peek() {
            advance()
            if byte == 0x0A {
                line += 1
                break
            }
            if position >= limits.recordSize { beginRecord() }
        }
        beginRecord()
    }

    func error(_ detail: String, at start: Int? = nil, isFatal: Bool = false) -> RecordError {
        let reason = RecordError.Reason.json(detail, byteOffset: source.offset + (start ?? position))
        return RecordError(file: source.path, line: recordLine, reason: reason, isFatal: isFatal)
    }

    func limitError(_ detail: String) -> RecordError {
        RecordError(file: source.path, line: recordLine, reason: .limit(detail))
    }

    /// Skips white space between records, and returns the next byte or nil at the end of the file.
    mutating func skipSpaceBetweenRecords() throws(RecordError) -> UInt8? {
        beginRecord()
        while let byte = try peek(),
            byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C
        {
            advance()
            if byte == 0x0A { line += 1 }
            beginRecord()
        }
        return try peek()
    }

    /// Skips white space inside a record, and returns the next byte.
    mutating func next() throws(RecordError) -> UInt8 {
        while let byte = try peek() {
            switch byte {
            case 0x0A:
                line += 1
                advance()
            case 0x20, 0x09, 0x0D: advance()
            default: return byte
            }
        }
        throw error("the file ends in the middle of a record")
    }

    /// Returns whether only white space follows the next byte on its line, as in an object that spans several
    /// lines.
    mutating func isAloneOnLine() throws(RecordError) -> Bool {
        defer { position = 0 }
        beginRecord()
        advance()
        while let byte = try peek(), byte != 0x0A {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0D else { return false }
            advance()
        }
        return true
    }

    /// Returns whether the next byte begins an array that is one line of several values, and not the array
    /// that is the whole file.
    mutating func isLineOfLines() throws(RecordError) -> Bool {
        defer { position = 0 }
        beginRecord()
        var scanner = JSONBracketScanner()
        // An array that is longer is not a record that can be skipped at once.
        while count < 4_096, try fill() {}
        guard case .closed(let end) = scanner.scan(bytes, from: 0, to: min(count, 4_096)), scanner.lines == 0
        else { return false }
        position = end
        while position < count, [0x20, 0x09, 0x0D].contains(bytes[position]) { advance() }
        guard position < count, bytes[position] == 0x0A else { return false }
        while position < count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { advance() }
        return position < count
            && (bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "["))
    }
}
