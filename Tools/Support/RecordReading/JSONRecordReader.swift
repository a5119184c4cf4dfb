/// Reads JSON objects one by one, from an array or one after the other (JSON Lines), and gives each as named
/// fields.
///
/// An object inside an object gives fields with dotted names, an array gives numbered ones:
/// `contributors.0.name`. Numbers stay the text that they are in the file, so none is rounded.
///
/// Written here because Foundation's reader needs the whole document, keeps one of two equal keys without a
/// word, and turns large integers into other numbers.
public final class JSONRecordReader: RecordReader {
    /// Where one record ends and the next begins.
    private enum Layout {
        /// The elements of one array.
        case array
        /// One object a line, so that the lines behind a bad one can be read.
        case lines
        /// Objects that are spread over lines.
        case objects
    }

    /// The line on which the current record begins.
    public private(set) var line = 1
    private var parser: JSONParser
    private let layout: Layout
    /// What was read to find the names, the last first.
    private var ahead: [Result<JSONRecord, RecordError>] = []
    private var isFirstElement = true
    private var hasEnded = false
    private var current = JSONRecord()

    /// How many records, and how much of the file, are read to find out which fields there are.
    private static let sampleSize = 1_000
    private static let sampleBytes = 16 << 20

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - replacesInvalidUTF8: Whether bytes that are not UTF-8 become U+FFFD instead of errors.
    ///   - fieldNames: The names of the fields; nil to find them in the first thousand records.
    /// - Throws: ``RecordError``: an unreadable file or another encoding.
    public convenience init(
        path: String, replacesInvalidUTF8: Bool = false, fieldNames: [String]? = nil
    ) throws(RecordError) {
        let source = try ByteSource(path: path)
        try source.skipByteOrderMark()
        try self.init(source: source, replacesInvalidUTF8: replacesInvalidUTF8, fieldNames: fieldNames)
    }

    /// Opens a document that is in memory as a whole, such as one of a file that can be read only once.
    ///
    /// - Parameters:
    ///   - name: What it is called in errors.
    ///   - maximumFieldCount: The most fields that it may have; a record may have any size.
    /// - Throws: ``RecordError``.
    public convenience init(bytes: [UInt8], name: String, maximumFieldCount: Int) throws(RecordError) {
        try self.init(
            source: ByteSource(contents: bytes, path: name), replacesInvalidUTF8: false, fieldNames: nil,
            limits: JSONLimits(recordSize: .max, fieldCount: maximumFieldCount))
    }

    init(
        source: ByteSource, replacesInvalidUTF8: Bool, fieldNames: [String]?,
        limits: JSONLimits = JSONLimits()
    ) throws(RecordError) {
        parser = JSONParser(source: source, replacesInvalidUTF8: replacesInvalidUTF8, limits: limits)
        if try parser.skipSpaceBetweenRecords() == UInt8(ascii: "[") {
            layout = .array
            parser.advance()
        } else {
            layout = try parser.isAloneOnLine() ? .objects : .lines
        }
        for name in fieldNames ?? [] { _ = parser.names.append(Array(name.utf8)) }
        while fieldNames == nil, ahead.count < Self.sampleSize, parser.offset < Self.sampleBytes {
            do throws(RecordError) {
                guard try read() else { break }
                ahead.append(.success(parser.record))
                // Another that kept the memory of this one would take as much for each record.
                parser.record = JSONRecord()
            } catch {
                ahead.append(.failure(error))
            }
        }
        ahead.reverse()
        parser.newNames = .leftOut
    }

    /// The names of the fields of the first records, in the order in which they appeared.
    public var fieldNames: [String] { parser.names.names }
    /// The offset in the file behind what was read.
    public var byteOffset: Int { parser.offset }
    /// The size of the file.
    public var byteCount: Int { parser.source.fileSize }

    /// Makes an error of each record that has a field with another name than ``fieldNames``.
    public func refuseOtherNames() { parser.newNames = .refused }

    /// Goes to the next record. Fields with other names than ``fieldNames`` are not seen, unless they are
    /// refused.
    ///
    /// - Complexity: O(*n*) in the record's bytes.
    public func next() throws(RecordError) -> Bool {
        if let result = ahead.popLast() {
            do throws(RecordError) {
                current = try result.get()
            } catch {
                line = error.line
                throw error
            }
        } else {
            do throws(RecordError) {
                guard try read() else { return false }
            } catch {
                line = error.line
                throw error
            }
            // Each keeps its memory for the record after the next.
            swap(&current, &parser.record)
        }
        line = current.line
        return true
    }

    /// Lends the bytes of a field; nil for `null` and for a field that the record does not have.
    public func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void) {
        current.withBytes(ofField: field, body)
    }

    /// Reads all that is left of the file for the names in it, and adds those that are new.
    ///
    /// What cannot be read is left to whoever reads the records.
    ///
    /// - Parameter progress: Hears of each thousand records how many there were.
    func addNamesOfRest(progress: (Int, any RecordReader) -> Void) {
        ahead.removeAll()
        parser.newNames = .taken
        var count = 0
        while !hasEnded {
            do throws(RecordError) { _ = try read() } catch { continue }
            count += 1
            if count.isMultiple(of: Self.sampleSize) { progress(count, self) }
        }
    }

    /// Reads a record; false after the last. Behind a fatal error there are none.
    private func read() throws(RecordError) -> Bool {
        guard !hasEnded else { return false }
        do throws(RecordError) {
            guard try findRecord() else {
                hasEnded = true
                return false
            }
        } catch {
            hasEnded = true
            throw error.asFatal
        }
        do throws(RecordError) {
            try parser.readObject()
            return true
        } catch {
            // In an array or among objects spread over lines nobody knows where the next record begins.
            guard layout == .lines, !error.isFatal else {
                hasEnded = true
                throw error.asFatal
            }
            try parser.skipFirstLine()
            throw error
        }
    }

    /// Goes to where a record begins; false if there is none.
    private func findRecord() throws(RecordError) -> Bool {
        let byte = try parser.skipSpaceBetweenRecords()
        guard layout == .array else { return byte != nil }
        guard let byte else { throw parser.error("the array is not closed") }
        if byte == UInt8(ascii: "]") {
            parser.advance()
            if try parser.skipSpaceBetweenRecords() == nil { return false }
            throw parser.error("something follows the array")
        }
        if !isFirstElement {
            guard byte == UInt8(ascii: ",") else { throw parser.error("a comma or ] is missing") }
            parser.advance()
            _ = try parser.skipSpaceBetweenRecords()
        }
        isFirstElement = false
        return true
    }
}
