import ArgumentParser
import RecordReading
import ToolSupport

/// The options for reading a file.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: "The delimiter of a CSV file: comma, semicolon, tab, or one character. Detected by default.")
    var delimiter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Skip this many lines above the header of a CSV file, or above its first row.",
            valueName: "lines"))
    var skipLines = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The line of a CSV file with the header. The lines above are skipped.", valueName: "line"))
    var headerLine: Int?

    @Flag(
        help:
            "The CSV file has no header, and its first line is a row. The columns are called column1, column2 and so on, unless --columns names them."
    )
    var noHeader = false

    @Option(
        help: ArgumentHelp(
            "The names of all columns of a CSV file, separated by commas, in place of those in the header. A name with a comma is written #\"last, first\". For MARC, the columns to import, such as 001,245$a, or “*” for all fields and subfields. Repeatable.",
            valueName: "names"))
    var columns: [String] = []

    @Option(
        help: ArgumentHelp(
            "Skip lines of a CSV file that begin with this text, for example #.", valueName: "text"))
    var comment: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Skip this many lines at the end of a CSV file, not counting empty ones.", valueName: "lines"))
    var skipFooter = 0

    @Option(
        help: ArgumentHelp(
            "The array of a JSON file with the records: names of members separated by dots, such as data.items. If the path leads through an array, all its elements are searched. “.” is the whole file. For a music library, one of its tables: Track, Playlist or PlaylistItem.",
            valueName: "path"))
    var at: String?

    @Flag(
        help:
            "Import each element of a JSON array as a column, such as “tags_0”. By default an array is one column with its JSON text."
    )
    var numberElements = false

    @Flag(
        help:
            "Read an unescaped & in XML as a plain character instead of refusing the file, and report the number of such characters."
    )
    var repair = false

    @Option(
        name: .customLong("map-path"),
        help: ArgumentHelp(
            "A folder of a music library that was moved: OLD=NEW, two absolute paths. The locations of the tracks in OLD are changed to NEW. Repeatable.",
            valueName: "old=new"))
    var movedFolders: [String] = []

    @Option(
        help: ArgumentHelp(
            "The encoding of the file, by a name that “iconv --list” shows. By default UTF-8, UTF-16 and Windows-1252 are recognized.",
            valueName: "name"))
    var encoding: String?

    @Option(
        help: ArgumentHelp(
            "The file inside a zip archive, if it has several; also FILE.zip:NAME.", valueName: "name"))
    var member: String?

    @Flag(
        help:
            "Replace bytes that are not text in the file's encoding with U+FFFD instead of skipping their rows."
    )
    var replaceInvalid = false

    @Flag(
        help: """
            Name columns of a CSV file that have a repeated name, or none, by their numbers: the third column becomes “title_3” if \
            an earlier column is called “title”, and “column3” if it has no name. Other options and mappings use these names.
            """)
    var numberColumns = false

    @Option(
        help: ArgumentHelp(
            "The treatment of arrays in JSON: with related, their elements become objects of other entities; with text, an array is one column with its JSON text. Without a mapping, the default of “import” is text, and that of “propose” is related.",
            valueName: "treatment"))
    var arrays: ArrayTreatment?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Refuse a file of more than this many bytes, also when decompressed.", valueName: "bytes"))
    var maxFileSize: Int?

    func validate() throws {
        try Self.requireSingleOptions(ProgramArguments.all)
        if let maxFileSize, maxFileSize < 1 {
            throw ValidationError("--max-file-size \(maxFileSize) must be at least 1.")
        }
        if let delimiter, Self.byte(delimiter) == nil {
            throw ValidationError("--delimiter must be comma, semicolon, tab, or one ASCII character.")
        }
        for (option, value, least) in [
            ("--skip-lines", skipLines, 0), ("--skip-footer", skipFooter, 0),
            ("--header-line", headerLine ?? 1, 1),
        ] where value < least {
            throw ValidationError("\(option) \(value) must be at least \(least).")
        }
        if headerLine != nil, skipLines > 0 || noHeader {
            throw ValidationError(
                "--header-line and \(noHeader ? "--no-header" : "--skip-lines") exclude each other.")
        }
        if comment == "" { throw ValidationError("--comment needs a text, for example #.") }
        if columns.contains("") { throw ValidationError("--columns needs names separated by commas.") }
        for text in movedFolders where MovedFolder(text) == nil {
            throw ValidationError(
                "--map-path \(text): write OLD=NEW with two absolute paths, such as /old/ann/Music=/srv/music."
            )
        }
        if at != nil, delimiter != nil {
            throw ValidationError("--at is for JSON files and --delimiter for CSV files.")
        }
    }

    /// Checks that options with one value are given once, because only the last value would have an effect.
    private static func requireSingleOptions(_ arguments: [String]) throws(ValidationError) {
        let names = [
            "--delimiter", "--skip-lines", "--header-line", "--comment", "--skip-footer", "--at",
            "--encoding",
            "--member", "--arrays", "--max-file-size", "--mapping", "--entity", "--key",
        ]
        for name in names {
            let count = arguments.prefix { $0 != "--" }.count { $0 == name || $0.hasPrefix("\(name)=") }
            guard count > 1 else { continue }
            throw ValidationError("\(name) is given \(count) times. Pass it once.")
        }
    }

    /// The options, without the results of examining a file.
    var options: RecordOptions {
        var options = RecordOptions(
            delimiter: delimiter.flatMap(Self.byte), replacesInvalidUTF8: replaceInvalid,
            numbersColumns: numberColumns, maximumFileSize: maxFileSize)
        options.skippedLines = headerLine.map { $0 - 1 } ?? skipLines
        options.skippedFooterLines = skipFooter
        options.hasHeader = !noHeader
        options.columnNames = columns.isEmpty ? nil : columns.flatMap(PropertyNames.list)
        options.commentPrefix = comment
        options.arrayPath = at
        options.repairsAmpersands = repair
        options.movedFolders = movedFolders.compactMap(MovedFolder.init)
        options.numbersElements = numberElements
        options.encoding = encoding
        options.member = member
        return options
    }

    private static func byte(_ name: String) -> UInt8? {
        switch name {
        case "comma": UInt8(ascii: ",")
        case "semicolon": UInt8(ascii: ";")
        case "tab", "\\t": 0x09
        default: name.utf8.count == 1 && !["\"", "\r", "\n"].contains(name) ? name.utf8.first : nil
        }
    }
}
