import Mutants

/// Reads CSV as RFC 4180 describes it, and as it is met: `;` and tab as delimiters, all kinds of line ends, a
/// UTF-8 mark, line ends inside quotes.
///
/// Written here because the packages that read CSV take the whole text into memory first.
public final class CSVReader: RecordReader {
    /// How a file is read.
    public struct Options: Hashable, Sendable {
        /// The delimiter, or nil to find out from the first record.
        public var delimiter: UInt8?
        /// Whether bytes that are not UTF-8 become U+FFFD instead of errors.
        public var replacesInvalidUTF8: Bool
        /// Whether columns with one name, or with none, are told apart by their numbers instead of being an
        /// error.
        public var numbersColumns: Bool
        /// The most bytes that a file may have; nil for any number.
        public var maximumFileSize: Int?

        /// Makes options.
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

    /// The header.
    public private(set) var fieldNames: [String] = []
    /// The line on which the current record begins.
    public private(set) var line = 1
    /// The delimiter in use.
    public let delimiter: UInt8
    private let source: ByteSource
    private let replacesInvalidUTF8: Bool
    private let scanner: CSVScanner
    private var nextLine = 1
    /// The bytes of the current record, line end included, which lie before the window's first unused byte.
    private var recordSize = 0
    private var hasEnded = false

    /// Opens a file and reads its header.
    ///
    /// - Throws: ``RecordError``, always fatal: an unreadable file, another encoding, a header with a name
    ///   twice, unless its columns are numbered.
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
            // Empty lines above the header are no header.
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
        // By their bytes: names that only read the same are two.
        var seen: Set<[UInt8]> = []
        for (position, name) in names.enumerated() where !seen.insert(Array(name.utf8)).inserted {
            throw error(.repeatedColumn(name), column: position + 1, isFatal: true)
        }
        fieldNames = names
    }

    /// The offset in the file behind the current record.
    public var byteOffset: Int { source.offset }
    /// The size of the file.
    public var byteCount: Int { source.fileSize }

    /// Goes to the next record. An empty line is no record, unless the file has one column.
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
    /// The bytes of the current record. They stay where they are until more are read.
    private var record: UnsafePointer<UInt8> { UnsafePointer(source.bytes + source.start - recordSize) }

    private var isEmptyLine: Bool { record[0] == 0x0A || record[0] == 0x0D }

    /// Reads one record; false at the end of the file.
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

    /// A record beyond the limit is most likely a quote that is never closed, so what follows is not read as
    /// records.
    private func checkSize(_ byteCount: Int) throws(RecordError) {
        guard byteCount > RecordLimits.recordSize else { return }
        hasEnded = true
        scanner.forget()
        throw error(.limit("a record of more than \(RecordLimits.recordSize) bytes"), isFatal: true)
    }

    /// Checks that the record is text, field by field only if it may not be.
    private func checkText() throws(RecordError) {
        let record = record
        guard !UTF8Validation.isPlain(record, count: recordSize) else { return }
        if UTF8Validation.firstNUL(record, count: recordSize) != nil,
            let nul = scanner.firstPlace(in: record, where: UTF8Validation.firstNUL)
        {
            throw error(.nulByte, column: nul.column)
        }
        if Mutant.repairedInput.isPlanted { return }
        if replacesInvalidUTF8 || UTF8Validation.firstInvalid(record, count: recordSize) == nil { return }
        if let place = scanner.firstPlace(in: record, where: UTF8Validation.firstInvalid) {
            let byteOffset = source.offset - recordSize + place.offset
            throw error(.invalidUTF8(byteOffset: byteOffset), column: place.column)
        }
    }

    /// The delimiter that the first record has most of outside quotes; a comma if it has none.
    private static func detectDelimiter(_ source: ByteSource) throws(RecordError) -> UInt8 {
        while source.available < 64 << 10, try source.fill() {}
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        var counts = [0, 0, 0]
        var isQuoted = false
        // A quote in the middle of a field is a character like others.
        var isFieldStart = true
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        for byte in bytes.drop(while: { $0 == 0x0A || $0 == 0x0D }) {
            if byte == UInt8(ascii: "\""), isFieldStart || isQuoted {
                isQuoted.toggle()
                // Two in a row stand for one and do not end the field.
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
