/// An error of a record, or of the rest of a file, with its location.
public struct RecordError: Error, Hashable, Sendable {
    /// The cause of an error.
    public enum Reason: Hashable, Sendable {
        /// The file cannot be opened or read, for the system's reason.
        case unreadable(String)
        /// The file begins with the byte order mark of another encoding.
        case encoding(String)
        /// Many bytes of the file are not UTF-8, and its encoding is not recognized.
        case unknownEncoding
        /// The file begins like a file of another format.
        case otherFormat(String)
        /// The file is an SQLite database, which another command moves into a store.
        case database(path: String)
        /// A byte is not UTF-8, at an offset in the file.
        case invalidUTF8(byteOffset: Int)
        /// A byte is not text in the encoding of the file, at an offset in the converted text.
        case invalidText(encoding: String, byteOffset: Int)
        /// The record contains a NUL byte.
        case nulByte
        /// A quoted field is not closed before the end of the file.
        case unclosedQuote
        /// Text follows the closing quote of a field.
        case textAfterQuote
        /// The number of fields differs from the header.
        case fieldCount(found: Int, expected: Int)
        /// The first record has fewer fields than most others, which begin on a line.
        case preamble(found: Int, expected: Int, line: Int)
        /// The number of names for the columns differs from the number of columns.
        case columnNames(found: Int, expected: Int)
        /// A field, record or nesting exceeds its limit.
        case limit(String)
        /// Two keys of an object have the same name.
        case duplicateName(String)
        /// Two columns of a header have the same name, which may be empty.
        case repeatedColumn(String)
        /// A field was not in the first records, although all fields must be known.
        case unexpectedName(String)
        /// The text is not JSON, at an offset in the file.
        case json(String, byteOffset: Int)
        /// The text is JSON only for lenient parsers, at an offset in the file.
        case dialect(JSONDialect, byteOffset: Int)
        /// The file is one object with arrays of objects, given by their paths.
        case wrapper([String])
        /// The file has no array at a path; the paths are those of the objects and arrays beside it.
        case noArray(String, others: [String])
        /// The text is not what its format needs, for a reason with a remedy.
        case markup(String)
        /// A value is invalid for its attribute.
        case value(String)
    }

    /// The path of the file.
    public let file: String
    /// The line of the file on which the record begins, from 1, counting line ends inside quotes, or 0 for
    /// the whole file.
    public let line: Int
    /// The number of the field, from 1, or nil for the whole record.
    public let column: Int?
    /// The name of the field, or nil if the file has no name for it.
    public let columnName: String?
    /// The cause of the error.
    public let reason: Reason
    /// Whether the rest of the file cannot be read.
    public let isFatal: Bool

    /// Creates an error.
    public init(
        file: String, line: Int, column: Int? = nil, columnName: String? = nil, reason: Reason,
        isFatal: Bool = false
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.columnName = columnName
        self.reason = reason
        self.isFatal = isFatal
    }

    /// This error as a fatal one, after which the rest of the file cannot be read.
    var asFatal: RecordError {
        RecordError(
            file: file, line: line, column: column, columnName: columnName, reason: reason, isFatal: true)
    }
}

extension RecordError: CustomStringConvertible {
    /// `file:line: column n (name): reason`, without the line for an error of the whole file.
    public var description: String {
        var location = line > 0 ? "\(file):\(line)" : file
        if let column { location += ": column \(column)" }
        if let columnName { location += " (\(columnName))" }
        return "\(location): \(reason)"
    }
}
