import ArgumentParser
import RecordReading

/// The options for reading a file.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: "The delimiter of a CSV file: comma, semicolon, tab, or one character. Detected by default.")
    var delimiter: String?

    @Flag(help: "Replace bytes that are not UTF-8 with U+FFFD instead of skipping their rows.")
    var replaceInvalid = false

    @Flag(
        help: """
            Name columns of a CSV file that have a repeated name, or none, by their numbers: the third column becomes “title_3” if \
            an earlier column is called “title”, and “column3” if it has no name. Other options and mappings use these names.
            """)
    var numberColumns = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Refuse a file of more than this many bytes.", valueName: "bytes"))
    var maxFileSize: Int?

    func validate() throws {
        if let maxFileSize, maxFileSize < 1 {
            throw ValidationError("--max-file-size \(maxFileSize) must be at least 1.")
        }
        if let delimiter, Self.byte(delimiter) == nil {
            throw ValidationError("--delimiter must be comma, semicolon, tab, or one ASCII character.")
        }
    }

    var options: CSVReader.Options {
        CSVReader.Options(
            delimiter: delimiter.flatMap(Self.byte), replacesInvalidUTF8: replaceInvalid,
            numbersColumns: numberColumns,
            maximumFileSize: maxFileSize)
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
