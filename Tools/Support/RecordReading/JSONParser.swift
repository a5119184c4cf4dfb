/// Limits that differ between files of records and documents of ours.
struct JSONLimits {
    /// Bytes of a record.
    var recordSize = RecordLimits.recordSize
    /// Fields of a record, and of all records together.
    var fieldCount = RecordLimits.fieldCount
}

/// A strict parser of JSON (RFC 8259) that reads one object at a time and flattens it into named fields.
///
/// The window is used up record by record, so that after an error it can go back to where the record began.
struct JSONParser {
    let source: ByteSource
    let replacesInvalidUTF8: Bool
    let limits: JSONLimits
    /// The names seen so far.
    var names = JSONFieldNames()
    /// What becomes of a name that was not there before.
    enum NewNames {
        /// A field.
        case taken
        /// Nothing.
        case leftOut
        /// An error of its record.
        case refused
    }

    var newNames = NewNames.taken
    /// The names of the record so far that are left out.
    var namesLeftOut: Set<[UInt8]> = []
    /// The record that was read last.
    var record = JSONRecord()
    var keys = JSONOpenKeys()
    /// The dotted name of what is being read.
    var path: [UInt8] = []
    /// The fields of the record so far, those that are left out included.
    var fieldCount = 0
    var nextGuess = 0
    /// The line of the next byte.
    var line = 1
    /// The line on which the record begins.
    var recordLine = 1
    /// The window's bytes that are not used up, and how many there are. They change when it is filled.
    private(set) var bytes: UnsafePointer<UInt8>
    private(set) var count: Int
    /// The next byte's position in them.
    var position = 0

    init(source: ByteSource, replacesInvalidUTF8: Bool, limits: JSONLimits) {
        self.limits = limits
        self.source = source
        self.replacesInvalidUTF8 = replacesInvalidUTF8
        bytes = UnsafePointer(source.bytes + source.start)
        count = source.available
    }

    /// The offset in the file of the next byte.
    var offset: Int { source.offset + position }

    /// The next byte, not used up; nil at the end of the file.
    @inline(__always)
    mutating func peek() throws(RecordError) -> UInt8? {
        if position == count { guard try fill() else { return nil } }
        return bytes[position]
    }

    /// Goes over the next byte, which must be there.
    mutating func advance() { position += 1 }

    /// Reads more bytes; false at the end of the file.
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

    /// Says that what lies behind is done with: a record begins here.
    mutating func beginRecord() {
        source.consume(position)
        bytes += position
        count -= position
        position = 0
        recordLine = line
    }

    /// Goes back to where the record began and over the rest of that line.
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

    func error(_ detail: String, at place: Int? = nil, isFatal: Bool = false) -> RecordError {
        let reason = RecordError.Reason.json(detail, byteOffset: source.offset + (place ?? position))
        return RecordError(file: source.path, line: recordLine, reason: reason, isFatal: isFatal)
    }

    func limitError(_ detail: String) -> RecordError {
        RecordError(file: source.path, line: recordLine, reason: .limit(detail))
    }

    /// Goes over white space between records, and gives the next byte.
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

    /// Goes over white space inside a record, and gives the next byte.
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

    /// Whether the next byte has nothing but white space behind it on its line, as in an object spread over
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
}
