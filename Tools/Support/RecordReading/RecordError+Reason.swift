extension RecordError.Reason: CustomStringConvertible {
    /// A description of the cause, with a remedy if one exists.
    public var description: String {
        switch self {
        case .unreadable(let detail): "cannot be read: \(detail)"
        case .encoding(let name): "the file is \(name); convert it to UTF-8, or pass --encoding \(name)"
        case .unknownEncoding:
            "the file is not UTF-8, and its encoding is not recognized; pass it with --encoding, for example Shift_JIS, GB18030, KOI8-R, WINDOWS-1251, WINDOWS-1250, CP850 or MACINTOSH, or UTF-8 to skip the rows that are not"
        case .otherFormat(let name):
            "the file looks like \(name); convert it to CSV or JSON, or pass --delimiter if it is CSV"
        case .database(let path):
            "the file is an SQLite database, not a list of records; run “library-import --from \(Self.quoted(path)) NEW” to move all its tables into a new store"
        case .invalidUTF8(let byteOffset):
            "not UTF-8 at byte \(byteOffset); pass --encoding with the file's encoding, or --replace-invalid"
        case .invalidText(let encoding, let byteOffset):
            "not \(encoding) at byte \(byteOffset) of the converted text; pass another --encoding, or --replace-invalid"
        case .nulByte: "contains a NUL byte; if the file is UTF-16, pass --encoding UTF-16LE or UTF-16BE"
        case .unclosedQuote: "a quoted field begins here and is never closed"
        case .textAfterQuote: "text follows the closing quote of a field"
        case .fieldCount(let found, let expected): "has \(found) fields, the header \(expected)"
        case .preamble(let found, let expected, let line):
            "the first line has \(Self.fields(found)), the others \(expected); pass --header-line \(line) if the header is on line \(line), or --skip-lines and --no-header if the file has none"
        case .columnNames(let found, let expected):
            "--columns has \(Self.names(found)), and the file \(expected == 1 ? "one column" : "\(expected) columns")"
        case .limit(let detail): detail
        case .duplicateName(let name): "duplicate name “\(name)”; rename or remove one of the two"
        case .repeatedColumn(let name):
            (name.isEmpty ? "another column without a name" : "another column is called “\(name)”")
                + "; pass --number-columns to give them numbered names, --no-header if the file has no header, or change the header"
        case .unexpectedName(let name):
            "has a field “\(name)” that the first records do not have and the mapping neither uses nor ignores"
        case .json(let detail, let byteOffset): "\(detail) at byte \(byteOffset)"
        case .dialect(let dialect, let byteOffset):
            "\(dialect.subject) not JSON, at byte \(byteOffset); \(dialect.remedy)"
        case .wrapper(let paths):
            "the file is one object with \(paths.count == 1 ? "an array" : "arrays") of objects: \(Self.list(paths)); pass --at \(paths.first ?? "NAME") to import the objects of \(paths.count == 1 ? "the array" : "one"), or --at . to import the whole object as one record"
        case .noArray(let path, let others):
            "the file has no array at “\(path)”"
                + (others.isEmpty ? "" : "; it has objects or arrays at \(Self.list(others))")
        case .markup(let detail), .value(let detail): detail
        }
    }

    /// Returns a path as a shell reads it.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { $0.isLetter || $0.isDigit || "/._-+:@%".utf8.contains($0) }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }

    private static func fields(_ count: Int) -> String { count == 1 ? "one field" : "\(count) fields" }

    private static func names(_ count: Int) -> String { count == 1 ? "one name" : "\(count) names" }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
        return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
    }
}
