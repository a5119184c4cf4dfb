/// Reads JSON objects one by one, from an array or one after the other (JSON Lines), and gives each as named fields.
///
/// An object inside an object gives fields with dotted names, an array gives numbered ones: `contributors.0.name`. Numbers
/// stay the text that they are in the file, so none is rounded.
///
/// Written here because Foundation's reader needs the whole document, keeps one of two equal keys without a word, and turns
/// large integers into other numbers.
public final class JSONRecordReader: RecordReader {
    /// The names of the fields of the first records, in the order in which they appeared.
    public private(set) var fieldNames: [String] = []
    /// The line on which the current record begins.
    public private(set) var line = 1
    private var parser: JSONParser
    private let isArray: Bool
    /// Records that were read to find the names.
    private var ahead: [(line: Int, fields: [String: [UInt8]?])] = []
    private var aheadError: RecordError?
    private var isFirstElement = true
    private var current: [[UInt8]?] = []
    private var positions: [String: Int] = [:]

    /// How many records are read to find out which fields there are.
    private static let sampleSize = 1_000

    /// Opens a file.
    public convenience init(path: String) throws(RecordError) {
        let source = try ByteSource(path: path)
        try source.skipByteOrderMark()
        try self.init(source: source)
    }

    init(source: ByteSource) throws(RecordError) {
        parser = JSONParser(source: source)
        isArray = try parser.skipSpace() == UInt8(ascii: "[")
        if isArray { parser.advance() }
        while ahead.count < Self.sampleSize {
            do {
                guard let fields = try read() else { break }
                for name in fields.names where positions[name] == nil {
                    positions[name] = fieldNames.count
                    fieldNames.append(name)
                }
                ahead.append((fields.line, fields.values))
            } catch {
                aheadError = error
                break
            }
        }
        ahead.reverse()
    }

    /// The offset in the file behind what was read.
    public var byteOffset: Int { parser.source.offset }
    /// The size of the file.
    public var byteCount: Int { parser.source.fileSize }

    /// Goes to the next record. Fields that none of the first thousand records had are not seen.
    public func next() throws(RecordError) -> Bool {
        if let (line, values) = ahead.popLast() {
            self.line = line
            take(values)
            return true
        }
        if let error = aheadError {
            aheadError = nil
            throw error
        }
        guard let fields = try read() else { return false }
        line = fields.line
        take(fields.values)
        return true
    }

    /// Lends the bytes of a field; nil for `null` and for a field that the record does not have.
    public func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard let bytes = current[field] else { return body(nil) }
        return bytes.withUnsafeBytes { body($0) }
    }

    private func take(_ values: [String: [UInt8]?]) {
        current = Array(repeating: nil, count: fieldNames.count)
        for (name, value) in values {
            if let position = positions[name] { current[position] = value }
        }
    }

    private func read() throws(RecordError) -> JSONParser.Fields? {
        guard let byte = try parser.skipSpace() else {
            guard !isArray else { throw parser.error("the array is not closed", isFatal: true) }
            return nil
        }
        if isArray {
            if byte == UInt8(ascii: "]") { return nil }
            if !isFirstElement {
                guard byte == UInt8(ascii: ",") else {
                    throw parser.error("a comma or ] is missing", isFatal: true)
                }
                parser.advance()
                _ = try parser.skipSpace()
            }
        }
        isFirstElement = false
        do {
            return try parser.readObject()
        } catch {
            // A line of JSON Lines can be left out; inside an array nobody knows where the next record begins.
            guard !isArray, !error.isFatal else {
                throw RecordError(
                    file: error.file, line: error.line, column: error.column, columnName: error.columnName,
                    reason: error.reason, isFatal: true)
            }
            try parser.skipLine()
            throw error
        }
    }
}
