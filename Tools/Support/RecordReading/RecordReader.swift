/// A file of records, whatever its format: named fields, each a text or nothing.
///
/// Reading is streaming: one record is in memory at a time.
public protocol RecordReader: AnyObject {
    /// The names of the fields: the header, or the keys of the first records.
    var fieldNames: [String] { get }
    /// The line on which the current record begins, from 1.
    var line: Int { get }
    /// The offset in the file behind the current record, for showing progress.
    var byteOffset: Int { get }
    /// The size of the file in bytes.
    var byteCount: Int { get }

    /// Goes to the next record; false after the last.
    ///
    /// - Throws: ``RecordError``. Unless it is fatal, the bad record is skipped and reading can go on.
    func next() throws(RecordError) -> Bool

    /// Lends the bytes of a field of the current record, once: its text, or nil for none.
    ///
    /// Not generic, because a generic requirement is not specialized for the callers of other modules.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void)
}

/// Limits on what is read, against files that are not what they seem.
public enum RecordLimits {
    /// Bytes of a field.
    public static let fieldSize = 1 << 20
    /// Bytes of a record.
    public static let recordSize = 4 << 20
    /// Fields of a record.
    public static let fieldCount = 4_096
    /// Bytes of the name of a field of JSON, with the names of the objects that it is in. Each name is kept,
    /// and there may be as many as fields.
    public static let nameSize = 4_096
    /// Objects and arrays inside each other.
    public static let nesting = 64
}

extension RecordReader {
    /// Lends the bytes of a field of the current record: its text, or nil for none.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    @inlinable
    public func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        var result: Result?
        lendBytes(ofField: field) { result = body($0) }
        guard let result else { preconditionFailure("The bytes of field \(field) were not lent.") }
        return result
    }

    /// The text of a field, or nil for none.
    public func text(ofField field: Int) -> String? {
        withBytes(ofField: field) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Opens a file as what its first byte says that it is: JSON for `[` and `{`, else CSV. One whose delimiter
/// is given is CSV, whatever it begins with.
///
/// - Throws: ``RecordError``, also for a file that begins as one of another format.
///
/// - Parameter fieldNames: The names of the fields if they are known, see
///   ``allFieldNames(path:options:progress:)``; CSV has them in its header.
public func openRecords(
    path: String, options: CSVReader.Options = .init(), fieldNames: [String]? = nil
) throws(RecordError) -> any RecordReader {
    let source = try ByteSource(path: path, maximumSize: options.maximumFileSize)
    try source.skipByteOrderMark()
    let first = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        .first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if options.delimiter == nil, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
        return try JSONRecordReader(
            source: source, replacesInvalidUTF8: options.replacesInvalidUTF8, fieldNames: fieldNames)
    }
    if options.delimiter == nil, let format = OtherFormat(beginning: source) {
        throw RecordError(file: path, line: 1, reason: .otherFormat(format.rawValue), isFatal: true)
    }
    return try CSVReader(source: source, options: options)
}

/// What is often given for CSV, and would be read as columns of nonsense.
private enum OtherFormat: String {
    case markup = "XML or HTML"
    case document = "PDF"
    case archive = "a compressed file or an archive"
    case database = "an SQLite database"
    case separatorLine = "CSV for Excel, whose first line says its delimiter"

    /// What files begin with that were made by gzip, zip, bzip2, xz, zstd and 7-Zip.
    private static let archiveMarks: [[UInt8]] = [
        [0x1F, 0x8B], [0x50, 0x4B, 3, 4], [0x42, 0x5A, 0x68, 0x39], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
        [0x28, 0xB5, 0x2F, 0xFD], [0x37, 0x7A, 0xBC, 0xAF],
    ]

    init?(beginning source: ByteSource) {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if text.starts(with: "sep=".utf8) {
            self = .separatorLine
        } else if text.starts(with: "%PDF-".utf8) {
            self = .document
        } else if bytes.starts(with: "SQLite format 3\0".utf8) {
            self = .database
        } else if Self.archiveMarks.contains(where: bytes.starts) {
            self = .archive
        } else if text.first == UInt8(ascii: "<"), let second = text.dropFirst().first,
            "?!".utf8.contains(second) || (0x61...0x7A).contains(second | 0x20)
        {
            self = .markup
        } else {
            return nil
        }
    }
}

/// The names of all fields of a file: its header, or the keys of all records, also of those far from the
/// beginning.
///
/// - Parameter progress: Hears of each thousand records how many there were.
/// - Complexity: O(*n*) in the bytes of a JSON file.
public func allFieldNames(
    path: String, options: CSVReader.Options = .init(),
    progress: (Int, any RecordReader) -> Void = { _, _ in }
) throws(RecordError) -> [String] {
    let reader = try openRecords(path: path, options: options)
    if let reader = reader as? JSONRecordReader { reader.addNamesOfRest(progress: progress) }
    return reader.fieldNames
}
