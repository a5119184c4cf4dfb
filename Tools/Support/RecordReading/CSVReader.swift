import Mutants

/// A reader of CSV according to RFC 4180, with common variations: `;` and tab as delimiters, all kinds of
/// line ends, a UTF-8 byte order mark, line ends inside quotes, a first line such as `sep=;`.
///
/// The project has its own reader because existing CSV packages load the whole text into memory.
public final class CSVReader: RecordReader {
    /// The options for reading a file.
    public typealias Options = RecordOptions

    /// The names of the fields, from the header.
    public private(set) var fieldNames: [String] = []
    /// The text around the records.
    public private(set) var frame = RecordFrame()
    /// Whether the names are those of the file's header.
    let hasHeaderNames: Bool
    /// The line on which the current record begins.
    public private(set) var line = 1
    /// The delimiter in use.
    public let delimiter: UInt8
    private let source: ByteSource
    private let replacesInvalidUTF8: Bool
    private let scanner: CSVScanner
    /// The beginning of lines that are skipped, or empty.
    private let comment: [UInt8]
    /// The number of lines at the end of the file that are skipped.
    private let footerSize: Int
    /// The offset of the window's end for which `footerStart` was found.
    private var footerEnd = -1
    /// The offset at which the lines begin that may be skipped at the end of the file.
    private var footerStart = 0
    /// Whether the current record was read in place of a header, and is the first that is returned.
    private var isFirstRecord = false
    private var nextLine: Int
    /// The number of bytes of the current record, including its line end. They precede the window's first
    /// byte that is not consumed.
    private var recordSize = 0
    private var hasEnded = false

    /// Opens a file and reads its header.
    ///
    /// - Throws: A fatal ``RecordError`` for an unreadable file, another encoding, or a header with a
    ///   repeated name, unless columns are numbered.
    public convenience init(path: String, options: Options = Options()) throws(RecordError) {
        let source = try ByteSource(path: path, options: options)
        try source.skipByteOrderMark()
        try self.init(source: source, options: options)
    }

    /// Reads the header of a source.
    ///
    /// - Parameter checksShape: Whether a file is refused whose first record has fewer fields than most of
    ///   the others.
    init(source: ByteSource, options: Options, checksShape: Bool = false) throws(RecordError) {
        self.source = source
        replacesInvalidUTF8 = options.replacesInvalidUTF8
        comment = Array((options.commentPrefix ?? "").utf8)
        footerSize = options.skippedFooterLines
        hasHeaderNames = options.hasHeader && options.columnNames == nil
        let separatorLine = try CSVSeparatorLine(beginning: source)
        let lineCount = try source.skipLines(max(options.skippedLines, separatorLine == nil ? 0 : 1))
        nextLine = 1 + lineCount
        delimiter =
            if let delimiter = options.delimiter ?? separatorLine?.delimiter { delimiter } else {
                try CSVShape.delimiter(of: source, comment: comment)
            }
        scanner = CSVScanner(delimiter: delimiter)
        if checksShape, options.hasHeader {
            try requireHeader(isDetected: options.delimiter == nil && separatorLine == nil)
        }
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
        isFirstRecord = !options.hasHeader
        fieldNames = try names(options)
        frame = RecordFrame(
            separatorLine: separatorLine?.text, skippedLines: lineCount,
            header: options.hasHeader
                ? Array(UnsafeBufferPointer(start: record, count: recordSize)) : [],
            skippedFooterLines: footerSize)
    }

    /// Returns the names of the columns, from the first record or the options.
    private func names(_ options: Options) throws(RecordError) -> [String] {
        let count = scanner.fieldCount
        if let names = options.columnNames, names.count != count {
            throw error(.columnNames(found: names.count, expected: count), isFatal: true)
        }
        let header =
            options.columnNames
            ?? (0..<count).map { options.hasHeader ? text(ofField: $0) ?? "" : "column\($0 + 1)" }
        let names = options.numbersColumns ? Self.numbered(header) : header
        // Compared by bytes, so that canonically equivalent names are different.
        var seen: Set<[UInt8]> = []
        for (position, name) in names.enumerated() where !seen.insert(Array(name.utf8)).inserted {
            throw error(.repeatedColumn(name), column: position + 1, isFatal: true)
        }
        return names
    }

    /// The offset in the file after the current record, in bytes.
    public var byteOffset: Int { source.fileOffset(of: source.offset) }
    /// The size of the file in bytes.
    public var byteCount: Int { source.fileSize }

    /// Reads the next record, and returns false after the last. An empty line is skipped, unless the file has
    /// one column.
    ///
    /// - Complexity: O(*n*) in the record's bytes.
    public func next() throws(RecordError) -> Bool {
        if isFirstRecord {
            isFirstRecord = false
            return true
        }
        while try readRecord() {
            if scanner.fieldCount == fieldNames.count { return true }
            if isEmptyLine { continue }
            throw error(.fieldCount(found: scanner.fieldCount, expected: fieldNames.count))
        }
        return false
    }

    /// Lends the lines of the record that was read last.
    public func lendRecord(to body: (UnsafeRawBufferPointer?) -> Void) {
        body(UnsafeRawBufferPointer(start: record, count: recordSize))
    }

    /// Returns true: each record of CSV has all fields.
    public func hasField(_ field: Int) -> Bool { true }

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
            if !comment.isEmpty, try source.begins(with: comment) {
                try source.skipLine()
                nextLine += 1
                line = nextLine
                continue
            }
            let count = footerSize > 0 ? countBeforeFooter() : source.available
            if count == 0, source.isAtEndOfFile {
                hasEnded = true
                break
            }
            let start = UnsafePointer(source.bytes + source.start)
            let outcome = scanner.scan(start, count: count, isLast: source.isAtEndOfFile)
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

    /// Returns the number of bytes in the window before the lines that may be skipped at the end of the file.
    private func countBeforeFooter() -> Int {
        let end = source.offset + source.available
        if footerEnd != end {
            footerEnd = end
            let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
            footerStart = source.offset + CSVShape.startOfLast(footerSize, linesOf: bytes)
        }
        return max(0, footerStart - source.offset)
    }

    /// Refuses a file whose first record has fewer fields than most of the others.
    private func requireHeader(isDetected: Bool) throws(RecordError) {
        let beginning = CSVShape.beginning(of: source)
        guard
            let preamble = CSVShape.preamble(
                of: beginning, delimiter: delimiter, isDetected: isDetected, comment: comment)
        else { return }
        line = nextLine
        throw error(
            .preamble(
                found: preamble.found, expected: preamble.expected,
                line: nextLine + preamble.linesBefore), isFatal: true)
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
            throw error(source.invalidText(at: byteOffset), column: invalid.column)
        }
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
