import Foundation

/// Reads CSV as RFC 4180 describes it, and as it is met: `;` and tab as delimiters, all kinds of line ends, a UTF-8 mark,
/// line ends inside quotes.
///
/// Written here because the packages that read CSV take the whole text into memory first.
public final class CSVReader: RecordReader {
    /// How a file is read.
    public struct Options: Hashable, Sendable {
        /// The delimiter, or nil to find out from the first record.
        public var delimiter: UInt8?
        /// Whether bytes that are not UTF-8 become U+FFFD instead of errors.
        public var replacesInvalidUTF8: Bool

        /// Makes options.
        public init(delimiter: UInt8? = nil, replacesInvalidUTF8: Bool = false) {
            self.delimiter = delimiter
            self.replacesInvalidUTF8 = replacesInvalidUTF8
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
    private var nextLine = 1
    /// The current record's bytes, copied so that the window may move.
    private var record: [UInt8] = []
    private var fields: [Range<Int>] = []

    /// Opens a file and reads its header.
    ///
    /// - Throws: ``RecordError``: an unreadable file, another encoding, a header with a name twice.
    public convenience init(path: String, options: Options = Options()) throws(RecordError) {
        let source = try ByteSource(path: path)
        try source.skipByteOrderMark()
        try self.init(source: source, options: options)
    }

    init(source: ByteSource, options: Options) throws(RecordError) {
        self.source = source
        replacesInvalidUTF8 = options.replacesInvalidUTF8
        if let delimiter = options.delimiter {
            self.delimiter = delimiter
        } else {
            delimiter = try Self.detectDelimiter(source)
        }
        guard try readRecord() else {
            throw RecordError(
                file: source.path, line: 1, reason: .unreadable("the file is empty"), isFatal: true)
        }
        let names = fields.indices.map { text(ofField: $0) ?? "" }
        var seen: Set<String> = []
        for (position, name) in names.enumerated() where !seen.insert(name).inserted {
            throw RecordError(
                file: source.path, line: 1, column: position + 1, reason: .duplicateName(name), isFatal: true)
        }
        fieldNames = names
    }

    /// The offset in the file behind the current record.
    public var byteOffset: Int { source.offset }
    /// The size of the file.
    public var byteCount: Int { source.fileSize }

    /// Goes to the next record. An empty line is no record.
    public func next() throws(RecordError) -> Bool {
        while true {
            guard try readRecord() else { return false }
            if fields.count == 1, fields[0].isEmpty, fieldNames.count > 1 { continue }
            guard fields.count == fieldNames.count else {
                throw error(.fieldCount(found: fields.count, expected: fieldNames.count))
            }
            return true
        }
    }

    /// Lends the bytes of a field.
    public func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        record.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[fields[field]])) }
    }

    /// The delimiter that the first record has most of outside quotes; a comma if it has none.
    private static func detectDelimiter(_ source: ByteSource) throws(RecordError) -> UInt8 {
        while source.available < 64 << 10, try source.fill() {}
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in UnsafeBufferPointer(start: source.bytes + source.start, count: source.available) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 0x0A || byte == 0x0D { break }
            if [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains(byte) { counts[byte, default: 0] += 1 }
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? UInt8(ascii: ",")
    }

    private func error(_ reason: RecordError.Reason, column: Int? = nil, isFatal: Bool = false) -> RecordError
    {
        RecordError(
            file: source.path, line: line, column: column,
            columnName: column.flatMap { fieldNames.indices.contains($0 - 1) ? fieldNames[$0 - 1] : nil },
            reason: reason, isFatal: isFatal)
    }
}

extension CSVReader {
    /// What a scan of the window for one record came to.
    private enum Scan {
        /// A record of so many bytes, line end included, that ends so many lines.
        case record(byteCount: Int, lines: Int)
        /// The window ends before the record does.
        case incomplete
        /// The record is bad, and ends after so many bytes and lines.
        case bad(RecordError, byteCount: Int, lines: Int)
    }

    /// Reads one record into `record` and `fields`; false at the end of the file.
    private func readRecord() throws(RecordError) -> Bool {
        line = nextLine
        while true {
            switch scan() {
            case .record(let byteCount, let lines):
                if byteCount == 0 { return false }
                source.consume(byteCount)
                nextLine += lines
                return try checkText()
            case .bad(let error, let byteCount, let lines):
                source.consume(byteCount)
                nextLine += lines
                throw error
            case .incomplete:
                guard source.available <= RecordLimits.recordSize else {
                    throw error(
                        .limit("a record of more than \(RecordLimits.recordSize) bytes"), isFatal: true)
                }
                _ = try source.fill()
            }
        }
    }

    /// Goes over the window byte by byte, copying fields without their quotes.
    private func scan() -> Scan {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        let isLast = source.isAtEndOfFile
        record.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        var position = 0
        var lines = 0
        var problem: RecordError?
        guard !bytes.isEmpty else { return isLast ? .record(byteCount: 0, lines: 0) : .incomplete }
        while true {
            let fieldStart = record.count
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                let opened = position
                position += 1
                while true {
                    var run = position
                    while run < bytes.count, bytes[run] != UInt8(ascii: "\"") {
                        if bytes[run] == 0x0A
                            || (bytes[run] == 0x0D && (run + 1 == bytes.count || bytes[run + 1] != 0x0A))
                        {
                            lines += 1
                        }
                        run += 1
                    }
                    record.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<run]))
                    guard run < bytes.count else {
                        guard isLast else { return .incomplete }
                        return .bad(
                            RecordError(
                                file: source.path, line: line, column: fields.count + 1,
                                reason: .unclosedQuote,
                                isFatal: true), byteCount: bytes.count - opened, lines: lines)
                    }
                    if run + 1 == bytes.count, !isLast { return .incomplete }
                    guard run + 1 < bytes.count, bytes[run + 1] == UInt8(ascii: "\"") else {
                        position = run + 1
                        break
                    }
                    record.append(UInt8(ascii: "\""))
                    position = run + 2
                }
                if position < bytes.count, bytes[position] != delimiter, bytes[position] != 0x0A,
                    bytes[position] != 0x0D
                {
                    problem = problem ?? error(.textAfterQuote, column: fields.count + 1)
                }
            }
            var run = position
            while run < bytes.count, bytes[run] != delimiter, bytes[run] != 0x0A, bytes[run] != 0x0D {
                run += 1
            }
            record.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<run]))
            position = run
            fields.append(fieldStart..<record.count)
            if record.count - fieldStart > RecordLimits.fieldSize {
                problem =
                    problem
                    ?? error(
                        .limit("a field of more than \(RecordLimits.fieldSize) bytes"), column: fields.count)
            }
            if fields.count > RecordLimits.fieldCount {
                problem = problem ?? error(.limit("more than \(RecordLimits.fieldCount) fields"))
            }
            guard position < bytes.count else {
                guard isLast else { return .incomplete }
                return finish(problem, position, lines)
            }
            if bytes[position] == delimiter {
                position += 1
                // A delimiter at the very end of the file is followed by one more, empty field.
                if position == bytes.count, !isLast { return .incomplete }
                continue
            }
            if bytes[position] == 0x0D {
                if position + 1 == bytes.count, !isLast { return .incomplete }
                if position + 1 < bytes.count, bytes[position + 1] == 0x0A { position += 1 }
            }
            return finish(problem, position + 1, lines + 1)
        }
    }

    private func finish(_ problem: RecordError?, _ byteCount: Int, _ lines: Int) -> Scan {
        problem.map { .bad($0, byteCount: byteCount, lines: lines) }
            ?? .record(byteCount: byteCount, lines: lines)
    }

    /// Checks that the record is text, field by field only if it is not.
    private func checkText() throws(RecordError) -> Bool {
        var isASCII = true
        var hasNUL = false
        for byte in record {
            if byte >= 0x80 { isASCII = false }
            if byte == 0 { hasNUL = true }
        }
        if isASCII, !hasNUL { return true }
        for (position, field) in fields.enumerated() {
            if hasNUL, record[field].contains(0) { throw error(.nulByte, column: position + 1) }
            guard String(validating: record[field], as: UTF8.self) == nil else { continue }
            guard replacesInvalidUTF8 else {
                throw error(.invalidUTF8(byteOffset: firstInvalidByte(field)), column: position + 1)
            }
        }
        return true
    }

    /// The offset in the file of the first byte of the record that is not UTF-8, found in the bytes as they were read.
    private func firstInvalidByte(_ field: Range<Int>) -> Int {
        var low = 0
        let bytes = Array(record[field])
        // The longest prefix that is text; a cut inside a character is at most three bytes early.
        while low < bytes.count, bytes[low] < 0x80 { low += 1 }
        var length = low
        while length < bytes.count {
            let width = bytes[length] < 0x80 ? 1 : bytes[length] >= 0xF0 ? 4 : bytes[length] >= 0xE0 ? 3 : 2
            let end = min(length + width, bytes.count)
            guard String(validating: bytes[length..<end], as: UTF8.self) != nil else { break }
            length = end
        }
        let wanted = bytes[..<min(bytes.count, length + 1)]
        return recordStart(matching: Array(wanted)) + wanted.count - 1
    }

    /// The record's own bytes are used up, but still in the window: where these are in the file.
    private func recordStart(matching bytes: [UInt8]) -> Int {
        let window = UnsafeBufferPointer(start: source.bytes, count: source.start)
        let windowOffset = source.offset - source.start
        guard let found = Data(window).range(of: Data(bytes), options: .backwards) else {
            return source.offset
        }
        return windowOffset + found.lowerBound
    }
}
