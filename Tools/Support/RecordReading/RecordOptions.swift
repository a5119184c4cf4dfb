/// The options for reading a file of records.
public struct RecordOptions: Hashable, Sendable {
    /// The delimiter of a CSV file, or nil to detect it from the first record.
    public var delimiter: UInt8?
    /// Whether bytes that are not text in the file's encoding become U+FFFD instead of errors.
    public var replacesInvalidUTF8: Bool
    /// Whether columns with a repeated name or without a name get numbered names instead of being an error.
    public var numbersColumns: Bool
    /// The largest allowed size of a file in bytes, also of a decompressed one, or nil for no limit.
    public var maximumFileSize: Int?

    /// The number of lines above the header of a CSV file, or above the first record, that are skipped.
    public var skippedLines = 0
    /// The number of lines at the end of a CSV file that are skipped. Empty lines are not counted.
    public var skippedFooterLines = 0
    /// Whether the first record of a CSV file has the names of the columns. Without a header, columns are
    /// called `column1`, `column2` and so on.
    public var hasHeader = true
    /// The names of a CSV file's columns, in place of those of the header, or nil for those.
    public var columnNames: [String]?
    /// The text at the beginning of lines of a CSV file that are comments and skipped, or nil.
    public var commentPrefix: String?

    /// The names of the members that lead to the array with a JSON file's records, separated by dots, or
    /// `.` for the object that is the whole file; nil if the file is the array or has lines of objects. For a
    /// file with several tables, the name of a table.
    public var arrayPath: String?

    /// Whether each element of an array in a record of JSON is a field with the element's number in its name,
    /// `tags.0`, and not the array one field with its JSON text.
    public var numbersElements = false

    /// The name of the file's encoding as `iconv` knows it, or nil for UTF-8, and for UTF-16 and UTF-32 with
    /// a byte order mark.
    public var encoding: String?
    /// The name of the file inside a zip archive, or nil if the archive has one file.
    public var member: String?
    /// The copy of a file that can be read only once, which is read in its place, or nil.
    public var copy: InputCopy?

    /// Whether an `&` in XML that begins no reference is read as a plain character instead of an error.
    public var repairsAmpersands = false
    /// The folders of a music library that were moved.
    public var movedFolders: [MovedFolder] = []

    /// Whether a reader of JSON keeps the text of the current record. A reader of CSV always has it.
    public var keepsText = false

    /// The digest that is computed as the file is read, or nil.
    public var digest: ContentDigest?

    /// Creates options.
    public init(
        delimiter: UInt8? = nil, replacesInvalidUTF8: Bool = false, numbersColumns: Bool = false,
        maximumFileSize: Int? = nil
    ) {
        self.delimiter = delimiter
        self.replacesInvalidUTF8 = replacesInvalidUTF8
        self.numbersColumns = numbersColumns
        self.maximumFileSize = maximumFileSize
    }

    /// Whether the options describe the lines of a CSV file, so that the file cannot have another format.
    var describesTable: Bool {
        skippedLines > 0 || !hasHeader || columnNames != nil || commentPrefix != nil
    }
}
