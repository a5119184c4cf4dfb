/// A reader of records that name their fields, from the parser of a format.
public final class NamedRecordReader: LateFieldReader {
    /// The treatment of fields that the reader does not know.
    private enum NewNames {
        case taken, leftOut, refused
    }

    /// The format of the file.
    public let format: NamedFormat
    /// The line on which the current record begins.
    public private(set) var line = 1
    private let parser: any NamedRecordParser
    private let replacesInvalidUTF8: Bool
    private var names = JSONFieldNames()
    private var newNames = NewNames.taken
    /// The records that were read to find the names, in reverse order.
    private var ahead: [NamedRecord] = []
    private var current = JSONRecord()
    private var recordText: [UInt8] = []
    private var hasEnded = false
    /// The error at which the first records end.
    private var failure: RecordError?

    /// The number of records that are read to find the names of the fields.
    private static let sampleSize = 1_000
    /// The number of bytes of the file, and of the records, that are read to find the names of the fields.
    private static let sampleBytes = 16 << 20

    /// Creates a reader, and reads the first records for the names of their fields if these are not known.
    init(
        _ parser: any NamedRecordParser, format: NamedFormat, options: RecordOptions, fieldNames: [String]?
    ) {
        self.format = format
        self.parser = parser
        replacesInvalidUTF8 = options.replacesInvalidUTF8
        for name in fieldNames ?? [] { _ = names.append(Array(name.utf8)) }
        var size = 0
        while fieldNames == nil, ahead.count < Self.sampleSize,
            max(parser.source.offset, size) < Self.sampleBytes
        {
            do throws(RecordError) {
                guard let record = try parsedRecord() else { break }
                take(record)
                size += record.size + record.text.count
                ahead.append(record)
            } catch {
                failure = error
                break
            }
        }
        ahead.reverse()
        newNames = .leftOut
    }

    /// The names of the fields of the first records, in the order of their first appearance.
    public var fieldNames: [String] { names.names }
    /// The offset in the file after the bytes that were read.
    public var byteOffset: Int { parser.source.fileOffset(of: parser.source.offset) }
    /// The size of the file in bytes.
    public var byteCount: Int { parser.source.fileSize }
    /// The text around the records.
    public var frame: RecordFrame { parser.frame ?? RecordFrame() }
    /// Whether some records of the file are a file of the same format.
    public var hasSeparableRecords: Bool { parser.frame != nil }
    /// A sentence for the user about text that was not read literally, or nil.
    public var note: String? { parser.note }

    /// Treats each record with a field that is not in ``fieldNames`` as an error.
    public func refuseOtherNames() { newNames = .refused }

    /// Reads the next record, and returns false after the last.
    public func next() throws(RecordError) -> Bool {
        guard let record = try nextRecord() else { return false }
        line = record.line
        recordText = record.text
        take(record)
        if let problem = record.problem {
            throw RecordError(file: parser.source.path, line: line, reason: problem)
        }
        if newNames == .refused, let name = unknownName(in: record) {
            throw RecordError(file: parser.source.path, line: line, reason: .unexpectedName(name))
        }
        return try checkText()
    }

    /// Returns whether the current record has a field.
    public func hasField(_ field: Int) -> Bool { current.hasField(field) }

    /// Lends the bytes of a field, or nil for a field that the record does not have.
    public func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void) {
        current.withBytes(ofField: field, body)
    }

    /// Lends the text of the record that was read last.
    public func lendRecord(to body: (UnsafeRawBufferPointer?) -> Void) {
        guard !recordText.isEmpty else { return body(nil) }
        recordText.withUnsafeBytes(body)
    }

    /// Returns the kind of a field's value.
    public func kind(ofField field: Int) -> FieldKind { current.kind(ofField: field) }

    /// Reads the rest of the file and adds the names of its fields.
    public func addNamesOfRest(progress: (Int, any RecordReader) -> Void) {
        ahead.removeAll()
        newNames = .taken
        var count = 0
        while let record = try? nextRecord() {
            if record.problem == nil { take(record) }
            count += 1
            if count.isMultiple(of: Self.sampleSize) { progress(count, self) }
        }
    }

    private func nextRecord() throws(RecordError) -> NamedRecord? {
        if let record = ahead.popLast() { return record }
        guard !hasEnded else { return nil }
        do throws(RecordError) {
            if let failure { throw failure }
            if let record = try parsedRecord() { return record }
            hasEnded = true
            return nil
        } catch {
            hasEnded = true
            line = error.line
            throw error
        }
    }

    /// Returns the next record of the parser, with names that are text.
    private func parsedRecord() throws(RecordError) -> NamedRecord? {
        guard var record = try parser.next() else { return nil }
        let isText = record.fields.allSatisfy { field in
            field.name.withUnsafeBytes { check($0, replacing: false).isText }
        }
        if isText { return record }
        if replacesInvalidUTF8 {
            record.renameFields { name in
                Array(String(decoding: name, as: UTF8.self).replacing("\0", with: "\u{FFFD}").utf8)
            }
        } else {
            record.problem = record.problem ?? notText
        }
        return record
    }

    /// The reason of a record that is not text in the encoding of the file.
    private var notText: RecordError.Reason {
        .markup(
            parser.invalidTextReason
                ?? "not \(parser.source.encoding ?? "UTF-8"); pass --encoding with the file's encoding, or --replace-invalid"
        )
    }

    /// Makes a record the current one. Fields that are not known are added or left out.
    private func take(_ record: NamedRecord) {
        current.reset(line: record.line)
        guard record.problem == nil else { return }
        for (guess, field) in record.fields.enumerated() {
            var position = names.position(of: field.name, guess: guess)
            if position == nil, newNames == .taken, names.count < RecordLimits.fieldCount {
                position = names.append(field.name)
            }
            guard let position else { continue }
            let start = current.text.count
            current.text += field.value
            _ = current.set(position, to: start..<current.text.count, kind: field.kind)
        }
    }

    private func unknownName(in record: NamedRecord) -> String? {
        record.fields.first { names.position(of: $0.name, guess: 0) == nil }.map {
            String(decoding: $0.name, as: UTF8.self)
        }
    }

    /// Checks that the values of the current record are text.
    ///
    /// Each value is checked alone: the end of one and the beginning of the next may be a character together.
    private func checkText() throws(RecordError) -> Bool {
        let isPlain = current.text.withUnsafeBytes { text in
            text.bindMemory(to: UInt8.self).baseAddress.map {
                UTF8Validation.isPlain($0, count: text.count)
            } ?? true
        }
        if isPlain { return true }
        for field in 0..<names.count {
            let (isText, hasNUL) = current.withBytes(ofField: field) {
                $0.map { check($0, replacing: replacesInvalidUTF8) } ?? (true, false)
            }
            guard !isText else { continue }
            throw RecordError(
                file: parser.source.path, line: line, column: field + 1, columnName: names.names[field],
                reason: hasNUL ? .nulByte : notText)
        }
        return true
    }

    /// Returns whether bytes are text, and whether they contain a NUL.
    ///
    /// - Parameter isReplacing: Whether bytes that are not UTF-8 will be replaced.
    private func check(
        _ bytes: UnsafeRawBufferPointer, replacing isReplacing: Bool
    ) -> (isText: Bool, hasNUL: Bool) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress,
            !UTF8Validation.isPlain(start, count: bytes.count)
        else { return (true, false) }
        let hasNUL = UTF8Validation.firstNUL(start, count: bytes.count) != nil
        let isInvalid =
            !isReplacing && UTF8Validation.firstInvalid(start, count: bytes.count) != nil
        return (!hasNUL && !isInvalid, hasNUL)
    }
}
