/// A reader of a file of records with named fields, each a text or no value, independent of the file's
/// format.
///
/// One record is in memory at a time.
public protocol RecordReader: AnyObject {
    /// The names of the fields, from the header or from the keys of the first records.
    var fieldNames: [String] { get }
    /// The line on which the current record begins, from 1.
    var line: Int { get }
    /// The offset in the file after the current record in bytes, for progress.
    var byteOffset: Int { get }
    /// The size of the file in bytes.
    var byteCount: Int { get }

    /// Reads the next record, and returns false after the last.
    ///
    /// - Throws: ``RecordError``. Unless it is fatal, the bad record is skipped and reading can continue.
    func next() throws(RecordError) -> Bool

    /// Lends the bytes of a field of the current record by one call of `body`: its text, or nil for no value.
    ///
    /// The requirement is not generic, because a generic one is not specialized for callers in other modules.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void)
}

/// The limits on records, against malformed and hostile files.
public enum RecordLimits {
    /// The size of a field, in bytes.
    public static let fieldSize = 1 << 20
    /// The size of a record, in bytes.
    public static let recordSize = 4 << 20
    /// The number of fields of a record.
    public static let fieldCount = 4_096
    /// The size of the dotted name of a JSON field, in bytes. All names are kept in memory, one for each
    /// field.
    public static let nameSize = 4_096
    /// The nesting depth of objects and arrays.
    public static let nesting = 64
}

extension RecordReader {
    /// Lends the bytes of a field of the current record: its text, or nil for no value.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    @inlinable
    public func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        var result: Result?
        lendBytes(ofField: field) { result = body($0) }
        guard let result else { preconditionFailure("The bytes of field \(field) were not lent.") }
        return result
    }

    /// Returns the text of a field, or nil for no value.
    public func text(ofField field: Int) -> String? {
        withBytes(ofField: field) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Opens a file in the format that its first byte indicates: JSON for `[` and `{`, otherwise CSV. A file is
/// always CSV if the options have a delimiter.
///
/// - Parameter fieldNames: The names of the fields of a JSON file if they are known, see
///   ``allFieldNames(path:options:progress:)``. CSV files have them in the header.
/// - Throws: ``RecordError``, including for a file that begins like a file of another format.
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

/// A format that is often mistaken for CSV, and would be read as meaningless columns.
private enum OtherFormat: String {
    case markup = "XML or HTML"
    case document = "PDF"
    case archive = "a compressed file or an archive"
    case database = "an SQLite database"
    case separatorLine = "CSV for Excel with its delimiter in the first line"

    /// The first bytes of files written by gzip, zip, bzip2, xz, zstd and 7-Zip.
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

/// Returns the names of all fields of a file: the header, or the keys of all records.
///
/// - Parameter progress: Called after each thousand records with their number.
/// - Complexity: O(*n*) in the bytes of a JSON file.
public func allFieldNames(
    path: String, options: CSVReader.Options = .init(),
    progress: (Int, any RecordReader) -> Void = { _, _ in }
) throws(RecordError) -> [String] {
    let reader = try openRecords(path: path, options: options)
    if let reader = reader as? JSONRecordReader { reader.addNamesOfRest(progress: progress) }
    return reader.fieldNames
}
