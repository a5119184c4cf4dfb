import Mutants

/// A reader of CSV according to RFC 4180, with common variations: `;` and tab as delimiters, all kinds of
/// line ends, a UTF-8 byte order mark, line ends inside quotes.
///
/// The project has its own reader because existing CSV packages load the whole text into memory.
public final class CSVReader: RecordReader {
    /// The options for reading a file.
    public struct Options: Hashable, Sendable {
        /// The delimiter, or nil to detect it from the first record.
        public var delimiter: UInt8?
        /// Whether bytes that are not UTF-8 become U+FFFD instead of errors.
        public var replacesInvalidUTF8: Bool
        /// Whether columns with a repeated name or without a name get numbered names instead of being an
        /// error.
        public var numbersColumns: Bool
        /// The largest allowed size of a file in bytes, or nil for no limit.
        public var maximumFileSize: Int?

        /// Creates options.
        public init(
            delimiter: UInt8? = nil, replacesInvalidUTF8: Bool = false, numbersColumns: Bool = false,
            maximumFileSize: Int? = nil
        ) {
            self.delimiter = delimiter
            self.replacesInvalidUTF8 = replacesInvalidUTF8
            self.numbersColumns = numbersColumns
            self.maximumFileSize = maximumFileSize
        }
    }

    /// The names of the fields, from the header.
    public private(set) var fieldNames: [String] = []
    /// The line on which the current record begins.
    public private(set) var line = 1
    /// The delimiter in use.
    public let delimiter: UInt8
    private let source: ByteSource
    private let replacesInvalidUTF8: Bool
    private let scanner: CSVScanner
    private var nextLine = 1
    /// The number of bytes of the current record, including its line end. They precede the window's first
    /// byte that is not consumed.
    private var recordSize = 0
    private var hasEnded = false

    /// Opens a file and reads its header.
    ///
    /// - Throws: A fatal ``RecordError`` for an unreadable file, another encoding, or a header with a
    ///   repeated name, unless columns are numbered.
    public convenience init(path: String, options: Options = Options()) throws(RecordError) {
        let source = try ByteSource(path: path, maximumSize: options.maximumFileSize)
        try source.skipByteOrderMark()
        try self.init(source: source, options: options)
    }

    init(source: ByteSource, options: Options) throws(RecordError) {
        self.source = source
        replacesInvalidUTF8 = options.replacesInvalidUTF8
        delimiter =
            if let delimiter = options.delimiter { delimiter } else { try Self.detectDelimiter(source) }
        scanner = CSVScanner(delimiter: delimiter)
        var isThere: Bool
        do throws(RecordError) {
            // Skips empty lines above the header.
            repeat { isThere = try readRecord() } while isThere && isEmptyLine
        } catch {
            throw error.asFatal
        }
        guard isThere else {
            throw RecordError(
                file: source.path, line: 1, reason: .unreadable("the file is empty"), isFatal: true)
        }
        let header = (0..<scanner.fieldCount).map { text(ofField: $0) ?? "" }
        let names = options.numbersColumns ? Self.numbered(header) : header
        // Compared by bytes, so that canonically equivalent names are different.
        var seen: Set<[UInt8]> = []
        for (position, name) in names.enumerated() where !seen.insert(Array(name.utf8)).inserted {
            throw error(.repeatedColumn(name), column: position + 1, isFatal: true)
        }
        fieldNames = names
    }

    /// The offset in the file after the current record, in bytes.
    public var byteOffset: Int { source.offset }
    /// The size of the file in bytes.
    public var byteCount: Int { source.fileSize }

    /// Reads the next record, and returns false after the last. An empty line is skipped, unless the file has
    /// one column.
    ///
    /// - Complexity: O(*n*) in the record's bytes.
    public func next() throws(RecordError) -> Bool {
        while try readRecord() {
            if scanner.fieldCount == fieldNames.count { return true }
            if isEmptyLine { continue }
            throw error(.fieldCount(found: scanner.fieldCount, expected: fieldNames.count))
        }
        return false
    }

    /// Lends the bytes of a field.
    public func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void) {
        scanner.withBytes(ofField: field, in: record, body)
    }
}

extension CSVReader {
    /// The bytes of the current record. The pointer is valid until more bytes are read.
    private var record: UnsafePointer<UInt8> { UnsafePointer(source.bytes + source.start - recordSize) }

    private var isEmptyLine: Bool { record[0] == 0x0A || record[0] == 0x0D }

    /// Reads a record, and returns false at the end of the file.
    private func readRecord() throws(RecordError) -> Bool {
        line = nextLine
        recordSize = 0
        while !hasEnded {
            if source.available == 0, try !source.fill() { break }
            let start = UnsafePointer(source.bytes + source.start)
            let outcome = scanner.scan(start, count: source.available, isLast: source.isAtEndOfFile)
            switch outcome {
            case .record(let byteCount, let lines):
                try consume(byteCount, lines)
                try checkText()
                return true
            case .bad(let problem, let byteCount, let lines):
                try consume(byteCount, lines)
                throw error(problem)
            case .unclosed(let problem):
                try consume(source.available, 0)
                hasEnded = true
                throw error(problem).asFatal
            case .incomplete:
                try checkSize(source.available)
                _ = try source.fill()
            }
        }
        scanner.forget()
        return false
    }

    private func consume(_ byteCount: Int, _ lines: Int) throws(RecordError) {
        try checkSize(byteCount)
        source.consume(byteCount)
        recordSize = byteCount
        nextLine += lines
    }

    /// Throws a fatal error for a record beyond the limit: most likely a quote is not closed, and the rest of
    /// the file cannot be read as records.
    private func checkSize(_ byteCount: Int) throws(RecordError) {
        guard byteCount > RecordLimits.recordSize else { return }
        hasEnded = true
        scanner.forget()
        throw error(.limit("a record of more than \(RecordLimits.recordSize) bytes"), isFatal: true)
    }

    /// Checks that the record is text, first as a whole and, if that fails, field by field for the location.
    private func checkText() throws(RecordError) {
        let record = record
        guard !UTF8Validation.isPlain(record, count: recordSize) else { return }
        if UTF8Validation.firstNUL(record, count: recordSize) != nil,
            let nul = scanner.firstPosition(in: record, where: UTF8Validation.firstNUL)
        {
            throw error(.nulByte, column: nul.column)
        }
        if Mutant.repairedInput.isPlanted { return }
        if replacesInvalidUTF8 || UTF8Validation.firstInvalid(record, count: recordSize) == nil { return }
        if let invalid = scanner.firstPosition(in: record, where: UTF8Validation.firstInvalid) {
            let byteOffset = source.offset - recordSize + invalid.offset
            throw error(.invalidUTF8(byteOffset: byteOffset), column: invalid.column)
        }
    }

    /// Returns the delimiter that occurs most often in the first record outside quotes, or a comma if none
    /// occurs.
    private static func detectDelimiter(_ source: ByteSource) throws(RecordError) -> UInt8 {
        while source.available < 64 << 10, try source.fill() {}
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        var counts = [0, 0, 0]
        var isQuoted = false
        // A quote in the middle of a field is an ordinary character.
        var isFieldStart = true
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        for byte in bytes.drop(while: { $0 == 0x0A || $0 == 0x0D }) {
            if byte == UInt8(ascii: "\""), isFieldStart || isQuoted {
                isQuoted.toggle()
                // Two quotes in a row are an escaped quote and do not end the field.
                isFieldStart = !isQuoted
                continue
            }
            if isQuoted { continue }
            if byte == 0x0A || byte == 0x0D { break }
            let candidate = candidates.firstIndex(of: byte)
            isFieldStart = candidate != nil
            if let candidate { counts[candidate] += 1 }
        }
        let best = counts.indices.reduce(0) { counts[$1] > counts[$0] ? $1 : $0 }
        return candidates[best]
    }

    private func error(_ problem: CSVScanner.Problem) -> RecordError {
        switch problem {
        case .textAfterQuote(let column): error(.textAfterQuote, column: column)
        case .unclosedQuote(let column): error(.unclosedQuote, column: column)
        case .fieldSize(let column):
            error(.limit("a field of more than \(RecordLimits.fieldSize) bytes"), column: column)
        case .fieldCount: error(.limit("more than \(RecordLimits.fieldCount) fields"))
        }
    }

    private func error(_ reason: RecordError.Reason, column: Int? = nil, isFatal: Bool = false) -> RecordError
    {
        RecordError(
            file: source.path, line: line, column: column,
            columnName: column.flatMap { fieldNames.indices.contains($0 - 1) ? fieldNames[$0 - 1] : nil },
            reason: reason, isFatal: isFatal)
    }
}
