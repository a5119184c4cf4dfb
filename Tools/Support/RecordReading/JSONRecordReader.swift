/// A reader of JSON objects as records with named fields, from an array or from consecutive objects (JSON
/// Lines).
///
/// A nested object gives fields with dotted names. An array gives fields with numbered names,
/// `contributors.0.name`, or one field with its JSON text.
/// Numbers keep the text that they have in the file, so none is rounded.
///
/// The project has its own reader because Foundation's needs the whole document, silently keeps one of two
/// equal keys, and changes large integers.
public final class JSONRecordReader: LateFieldReader {
    /// The layout of records in a file.
    private enum Layout {
        /// The elements of arrays at a path, which is empty for an array that is the whole file.
        case array
        /// One object in each line, so that the lines after a bad record can be read.
        case lines
        /// Objects that span several lines.
        case objects
    }

    /// The line on which the current record begins.
    public private(set) var line = 1
    private var parser: JSONParser
    private let layout: Layout
    private var cursor: JSONPathCursor
    /// The records that were read to find the names, in reverse order.
    private var ahead: [(result: Result<JSONRecord, RecordError>, text: [UInt8])] = []
    /// The text of the record that was read last, if it is kept.
    private var recordText: [UInt8] = []
    private var hasEnded = false
    /// Whether the last error is of an element that is no object, after which reading continues.
    private var isSkipped = false
    private var current = JSONRecord()

    /// The number of records that are read to find the names of the fields.
    private static let sampleSize = 1_000
    /// The number of bytes of the file that are read to find the names of the fields.
    private static let sampleBytes = 16 << 20

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - replacesInvalidUTF8: Whether bytes that are not UTF-8 become U+FFFD instead of errors.
    ///   - fieldNames: The names of the fields, or nil to find them in the first thousand records.
    ///   - arrayPath: The names of the members that lead to the array with the records, separated by dots,
    ///     or nil if the file is that array or has one object after the other.
    ///   - numbersElements: Whether each element of an array is a field.
    /// - Throws: ``RecordError`` for an unreadable file or another encoding.
    public convenience init(
        path: String, replacesInvalidUTF8: Bool = false, fieldNames: [String]? = nil,
        arrayPath: String? = nil, numbersElements: Bool = true
    ) throws(RecordError) {
        let source = try ByteSource(path: path)
        try source.skipByteOrderMark()
        try self.init(
            source: source, replacesInvalidUTF8: replacesInvalidUTF8, fieldNames: fieldNames,
            arrayPath: arrayPath, numbersElements: numbersElements)
    }

    /// Opens a document in memory, for example from a file that can be read only once.
    ///
    /// - Parameters:
    ///   - name: The name of the document in errors.
    ///   - maximumFieldCount: The largest number of fields. The size of a record is not limited.
    /// - Throws: ``RecordError`` for a document that is not JSON.
    public convenience init(bytes: [UInt8], name: String, maximumFieldCount: Int) throws(RecordError) {
        try self.init(
            source: ByteSource(contents: bytes, path: name), replacesInvalidUTF8: false, fieldNames: nil,
            limits: JSONLimits(recordSize: .max, fieldCount: maximumFieldCount))
    }

    init(
        source: ByteSource, replacesInvalidUTF8: Bool, fieldNames: [String]?, arrayPath: String? = nil,
        numbersElements: Bool = true, keepsText: Bool = false, limits: JSONLimits = JSONLimits()
    ) throws(RecordError) {
        parser = JSONParser(
            source: source, replacesInvalidUTF8: replacesInvalidUTF8, numbersElements: numbersElements,
            limits: limits)
        parser.keepsText = keepsText
        cursor = JSONPathCursor(path: arrayPath)
        let first = try parser.skipSpaceBetweenRecords()
        if arrayPath != nil {
            layout = .array
        } else if first == UInt8(ascii: "[") {
            layout = try parser.isLineOfLines() ? .lines : .array
        } else {
            let isAlone = first == UInt8(ascii: "{") ? try parser.isAloneOnLine() : false
            layout = isAlone ? .objects : .lines
        }
        for name in fieldNames ?? [] { _ = parser.names.append(Array(name.utf8)) }
        while fieldNames == nil, ahead.count < Self.sampleSize, parser.offset < Self.sampleBytes {
            do throws(RecordError) {
                guard try read() else { break }
                ahead.append((.success(parser.record), recordText))
                // A new record, because one that reused this memory would keep its capacity for each record.
                parser.record = JSONRecord()
            } catch {
                ahead.append((.failure(error), recordText))
            }
        }
        if case .failure(let error)? = ahead.last?.result, case .noArray = error.reason { throw error }
        ahead.reverse()
        parser.newNames = .leftOut
    }

    /// The names of the fields of the first records, in the order of their first appearance.
    public var fieldNames: [String] { parser.names.names }
    /// The names of the fields that are the JSON text of an array in a record read so far.
    public var arrayFieldNames: [String] { parser.arrayFields.sorted().map { parser.names.names[$0] } }
    /// The offset in the file after the bytes that were read.
    public var byteOffset: Int { parser.source.fileOffset(of: parser.offset) }
    /// The size of the file in bytes.
    public var byteCount: Int { parser.source.fileSize }

    /// Treats each record with a field that is not in ``fieldNames`` as an error.
    public func refuseOtherNames() { parser.newNames = .refused }

    /// Adds the names of fields that are not in ``fieldNames`` to them when their records are read.
    func takeOtherNames() { parser.newNames = .taken }

    /// Reads the next record, and returns false after the last. Fields that are not in ``fieldNames`` are
    /// ignored, unless ``refuseOtherNames()`` was called.
    ///
    /// - Complexity: O(*n*) in the record's bytes.
    public func next() throws(RecordError) -> Bool {
        if let (result, text) = ahead.popLast() {
            recordText = text
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
            // The two records alternate, so that each reuses its allocated memory.
            swap(&current, &parser.record)
        }
        line = current.line
        return true
    }

    /// The text around the records.
    public var frame: RecordFrame {
        layout == .array ? RecordFrame(path: cursor.names) : RecordFrame()
    }

    /// Lends the text of the record that was read last, without white space at its ends.
    public func lendRecord(to body: (UnsafeRawBufferPointer?) -> Void) {
        guard parser.keepsText, !recordText.isEmpty else { return body(nil) }
        recordText.withUnsafeBytes(body)
    }

    /// Returns whether the current record has a field, which may be `null`.
    public func hasField(_ field: Int) -> Bool { current.hasField(field) }

    /// Lends the bytes of a field, or nil for `null` and for a field that the record does not have.
    public func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void) {
        current.withBytes(ofField: field, body)
    }

    /// Returns the kind of a field's value.
    public func kind(ofField field: Int) -> FieldKind { current.kind(ofField: field) }

    /// Reads the rest of the file and adds the names of its fields.
    ///
    /// Errors are ignored, because the later reading of the records reports them.
    ///
    /// - Parameter progress: Called after each thousand records with their number.
    public func addNamesOfRest(progress: (Int, any RecordReader) -> Void) {
        ahead.removeAll()
        parser.newNames = .taken
        var count = 0
        while !hasEnded {
            do throws(RecordError) { _ = try read() } catch { continue }
            count += 1
            if count.isMultiple(of: Self.sampleSize) { progress(count, self) }
        }
    }

    /// Reads a record, and returns false after the last record or after a fatal error.
    private func read() throws(RecordError) -> Bool {
        guard !hasEnded else { return false }
        do throws(RecordError) {
            guard try findRecord() else {
                hasEnded = true
                return false
            }
        } catch {
            if !error.isFatal, isSkipped {
                recordText = parser.takeText()
                throw error
            }
            hasEnded = true
            throw error.asFatal
        }
        parser.beginText()
        do throws(RecordError) {
            try parser.readObject()
            recordText = parser.takeText()
            return true
        } catch {
            guard !error.isFatal, try skipBadRecord() else {
                hasEnded = true
                throw error.asFatal
            }
            recordText = parser.takeText()
            throw error
        }
    }

    /// Skips the record that could not be read, and returns false if its end cannot be known: reading must
    /// not continue inside it.
    private func skipBadRecord() throws(RecordError) -> Bool {
        switch layout {
        case .lines: try parser.skipLine()
        case .objects: try parser.skipRecord(in: nil)
        case .array: try parser.skipRecord(in: cursor.frames.last)
        }
    }

    /// Advances to the beginning of the next record, and returns false if the file has no more records.
    private func findRecord() throws(RecordError) -> Bool {
        isSkipped = false
        guard layout == .array else { return try parser.skipSpaceBetweenRecords() != nil }
        switch try parser.find(&cursor) {
        case .record: return true
        case .end:
            guard cursor.isFound || cursor.names.isEmpty else {
                let path = cursor.names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
                throw RecordError(
                    file: parser.source.path, line: 0, reason: .noArray(path, others: cursor.others))
            }
            return false
        case .other(let problem):
            isSkipped = true
            throw problem
        }
    }
}
