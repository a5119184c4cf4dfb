/// Why a record, or the rest of a file, cannot be read: where, and what is wrong.
public struct RecordError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The file cannot be opened or read; the system's words.
        case unreadable(String)
        /// The file begins with the mark of another encoding.
        case encoding(String)
        /// The file begins as one of another format.
        case otherFormat(String)
        /// A byte that no UTF-8 text has, at this offset of the file.
        case invalidUTF8(byteOffset: Int)
        /// A NUL byte.
        case nulByte
        /// A quoted field that the file's end cuts off.
        case unclosedQuote
        /// Something follows the closing quote of a field.
        case textAfterQuote
        /// Another number of fields than the header has.
        case fieldCount(found: Int, expected: Int)
        /// A field, record or nesting beyond its limit.
        case limit(String)
        /// Two keys of an object with one name.
        case duplicateName(String)
        /// Two columns of a header with one name, which may be empty.
        case repeatedColumn(String)
        /// A field that the first records do not have, where all fields must be known.
        case unexpectedName(String)
        /// What is not JSON, at this offset of the file.
        case json(String, byteOffset: Int)
        /// A value that does not fit where it goes.
        case value(String)
    }

    /// The file.
    public let file: String
    /// The line of the file on which the record begins, from 1. Line ends inside quotes count. 0 means the
    /// whole file.
    public let line: Int
    /// The field, from 1; nil where the whole record is meant.
    public let column: Int?
    /// The field's name, if the file says.
    public let columnName: String?
    /// What is wrong.
    public let reason: Reason
    /// Whether nothing after it can be read.
    public let isFatal: Bool

    /// Makes an error.
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

    /// The same error, after which nothing can be read.
    var asFatal: RecordError {
        RecordError(
            file: file, line: line, column: column, columnName: columnName, reason: reason, isFatal: true)
    }
}

extension RecordError: CustomStringConvertible {
    /// `file:line: column n (name): reason`; without the line where the file could not even be opened.
    public var description: String {
        var place = line > 0 ? "\(file):\(line)" : file
        if let column { place += ": column \(column)" }
        if let columnName { place += " (\(columnName))" }
        return "\(place): \(reason)"
    }
}

extension RecordError.Reason: CustomStringConvertible {
    /// What is wrong and, where there is one, the remedy.
    public var description: String {
        switch self {
        case .unreadable(let detail): "cannot be read: \(detail)"
        case .encoding(let name): "the file is \(name); convert it to UTF-8"
        case .otherFormat(let name):
            "the file begins as \(name); convert it to CSV or JSON, or say its --delimiter if it is CSV all the same"
        case .invalidUTF8(let byteOffset):
            "not UTF-8 at byte \(byteOffset); convert the file, or read it with --replace-invalid"
        case .nulByte: "contains a NUL byte"
        case .unclosedQuote: "a quoted field begins here and is never closed"
        case .textAfterQuote: "text follows the closing quote of a field"
        case .fieldCount(let found, let expected): "has \(found) fields, the header \(expected)"
        case .limit(let detail): detail
        case .duplicateName(let name): "the name “\(name)” is there twice"
        case .repeatedColumn(let name):
            (name.isEmpty ? "another column without a name" : "another column is called “\(name)”")
                + "; say --number-columns to tell them apart by their numbers, or change the header"
        case .unexpectedName(let name):
            "has a field “\(name)” that none of the first records has and that is neither used nor ignored"
        case .json(let detail, let byteOffset): "\(detail) at byte \(byteOffset)"
        case .value(let detail): detail
        }
    }
}
