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

    /// Returns whether the current record has a field, possibly without a value. A record of CSV has all.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    func hasField(_ field: Int) -> Bool

    /// The text around the records, for another file with some of them.
    var frame: RecordFrame { get }

    /// Lends the text of the record that was read last, good or bad, in UTF-8 if it was converted: its line
    /// or lines, or its JSON value. Nil if the text is not kept, see ``RecordOptions/keepsText``.
    func lendRecord(to body: (UnsafeRawBufferPointer?) -> Void)

    /// Lends the bytes of a field of the current record by one call of `body`: its text, or nil for no value.
    ///
    /// The requirement is not generic, because a generic one is not specialized for callers in other modules.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void)

    /// Returns the kind of the value of a field of the current record.
    ///
    /// - Parameter field: A position in ``fieldNames``.
    func kind(ofField field: Int) -> FieldKind
}

/// The kind of a value in a file.
public enum FieldKind: Sendable {
    /// A format without types, such as CSV, or no value.
    case untyped
    /// A text, also the text of an array.
    case text
    /// A text of a format with a separate type for dates, so that even the text of a date is a text.
    case exactText
    /// A date in ISO 8601.
    case date
    /// A number.
    case number
    /// A Boolean value.
    case boolean
}

extension RecordReader {
    /// Returns that the format has no types.
    public func kind(ofField field: Int) -> FieldKind { .untyped }
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
