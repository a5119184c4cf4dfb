import Foundation

/// A hand-made file with its layout.
struct ImportCase: Encodable {
    /// The layout of a file, which Python gets, and which the importer detects or gets by options.
    struct Reading: Encodable {
        /// `csv`, `json` for an array, `lines`, or `objects` for objects one after the other.
        var form = "csv"
        var delimiter: String?
        /// The name of Python's codec, if it is not UTF-8.
        var encoding: String?
        /// Whether bytes that are no text become U+FFFD.
        var replaced: Bool?
        var gzip: Bool?
        /// The name of the file in a zip archive.
        var member: String?
        /// The number of lines above the header.
        var skipped: Int?
        /// The number of lines below the rows.
        var footer: Int?
        /// The beginning of lines that are left out.
        var comment: String?
        var columns: [String]?
        /// Whether the first line is a row.
        var headless: Bool?
        /// Whether columns may have equal names.
        var numbered: Bool?
        /// Whether each element of an array is a column.
        var elements: Bool?
        /// The path of the array with the records.
        var at: String?
    }

    let name: String
    var file: String
    /// The contents in hexadecimal digits.
    var bytes: String
    /// The options of the import.
    var arguments: [String]
    var reading: Reading
    /// Words of the message with which the file is refused; nil if it has rows.
    var refused: [String]?
    /// The types of some columns, in addition to what Python computes.
    var types: [String: [String]]?
    /// The name of the entity; nil if it is not checked.
    var entity: String?

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Joins the texts for some numbers.
    static func joined(_ numbers: Range<Int>, _ separator: String = "", _ text: (Int) -> String) -> String {
        numbers.map(text).joined(separator: separator)
    }

    /// A file of bytes.
    static func bytes(
        _ name: String, _ bytes: some Sequence<UInt8>, _ arguments: [String] = [], file: String = "book.csv",
        as reading: Reading = Reading()
    ) -> ImportCase {
        ImportCase(
            name: name, file: file, bytes: hexadecimal(bytes), arguments: arguments, reading: reading)
    }

    /// A CSV file.
    static func csv(
        _ name: String, _ text: String, _ arguments: [String] = [], types: [String: String]? = nil,
        _ change: (inout Reading) -> Void = { _ in }
    ) -> ImportCase {
        var reading = Reading()
        change(&reading)
        var file = bytes(name, text.utf8, arguments, as: reading)
        file.types = types?.mapValues { [$0] }
        return file
    }

    /// A file of JSON in one of the forms of ``Reading/form``.
    static func json(
        _ form: String, _ name: String, _ text: String, _ arguments: [String] = [],
        types: [String: String]? = nil, _ change: (inout Reading) -> Void = { _ in }
    ) -> ImportCase {
        var reading = Reading(form: form)
        change(&reading)
        var file = bytes(
            name, text.utf8, arguments, file: form == "lines" ? "book.jsonl" : "book.json", as: reading)
        file.types = types?.mapValues { [$0] }
        return file
    }

    /// A file that is refused, with words of the message.
    static func refused(
        _ name: String, _ text: String, _ words: String..., file: String = "book.csv",
        arguments: [String] = []
    ) -> ImportCase {
        var refused = bytes(name, text.utf8, arguments, file: file)
        refused.refused = words
        return refused
    }
}
