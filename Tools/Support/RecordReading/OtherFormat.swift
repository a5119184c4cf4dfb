/// A format that is often mistaken for CSV, and would be read as meaningless columns.
enum OtherFormat: String {
    case markup = "XML or HTML"
    case document = "PDF"
    case archive = "a compressed file or an archive"
    case database = "an SQLite database"
    case propertyList = "a binary property list"
    case separatorLine = "CSV for Excel whose first line names no single character as the delimiter"
    case contacts = "a vCard or a calendar"
    case configuration = "YAML"
    case markdown = "Markdown"
    case license = "the text of a licence"
    case prose = "prose"
    case commentedJSON = "JSON with comments"

    /// The first bytes of files written by gzip, zip, bzip2, xz, zstd and 7-Zip.
    private static let archiveMarks: [[UInt8]] = [
        [0x1F, 0x8B], [0x50, 0x4B, 3, 4], [0x42, 0x5A, 0x68, 0x39], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
        [0x28, 0xB5, 0x2F, 0xFD], [0x37, 0x7A, 0xBC, 0xAF],
    ]

    private static let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// Returns whether a file begins with an array or an object, or with a line `null` before one.
    static func beginsLikeJSON(_ source: ByteSource) -> Bool {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        var text = bytes.drop { space.contains($0) }
        while text.starts(with: "null\n".utf8) || text.starts(with: "null\r\n".utf8) {
            text = text.dropFirst(4).drop { space.contains($0) }
        }
        return text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{")
    }

    /// Returns whether a file begins with a comment, as some programs write before JSON.
    static func beginsWithComment(_ source: ByteSource) -> Bool {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        return bytes.first { !space.contains($0) } == UInt8(ascii: "/")
    }

    /// Recognizes the format of a file by its first bytes.
    init?(beginning source: ByteSource) {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        let text = bytes.drop { Self.space.contains($0) }
        if text.starts(with: "sep=".utf8) {
            self = .separatorLine
        } else if let format = Self(binary: source) {
            self = format
        } else if text.first == UInt8(ascii: "<"), let second = text.dropFirst().first,
            "?!".utf8.contains(second) || (0x61...0x7A).contains(second | 0x20)
        {
            self = .markup
        } else if let format = Self(lines: bytes) {
            self = format
        } else {
            return nil
        }
    }

    /// Recognizes a format that is not text.
    init?(binary source: ByteSource) {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        if bytes.drop(while: Self.space.contains).starts(with: "%PDF-".utf8) {
            self = .document
        } else if bytes.starts(with: "SQLite format 3\0".utf8) {
            self = .database
        } else if bytes.starts(with: "bplist0".utf8) {
            self = .propertyList
        } else if Self.archiveMarks.contains(where: bytes.starts) {
            self = .archive
        } else {
            return nil
        }
    }

    /// Recognizes a format of lines of text.
    private init?(lines bytes: UnsafeBufferPointer<UInt8>) {
        let start = bytes.prefix(16 << 10)
        let text = String(decoding: start, as: UTF8.self)
        var lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
            .filter { !$0.isEmpty }
        // The last line may be incomplete.
        if start.count < bytes.count, lines.count > 1 { lines.removeLast() }
        guard let first = lines.first else { return nil }
        if first.hasPrefix("//") || first.hasPrefix("/*"),
            lines.dropFirst().contains(where: { $0.hasPrefix("{") || $0.hasPrefix("[") })
        {
            self = .commentedJSON
        } else if first.hasPrefix("BEGIN:VC") {
            self = .contacts
        } else if Self.isYAML(lines) {
            self = .configuration
        } else {
            let shape = Self.Shape(start, isWhole: start.count == bytes.count)
            if !shape.hasHeader, Self.licenseMarks.contains(where: text.prefix(2_000).contains) {
                self = .license
                return
            }
            // Records with the same number of fields are a table, regardless of their words.
            guard !shape.isTable else { return nil }
            if Self.isMarkdown(lines) {
                self = .markdown
            } else if Self.isProse(lines, shape) {
                self = .prose
            } else {
                return nil
            }
        }
    }

    /// The words with which common licences begin.
    private static let licenseMarks = [
        "Permission is hereby granted", "GNU GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC",
        "GNU AFFERO", "Apache License", "Redistribution and use in source", "MIT License",
        "Mozilla Public License", "Permission to use, copy, modify", "Creative Commons",
    ]

    private static func isYAML(_ lines: [Substring]) -> Bool {
        guard let first = lines.first else { return false }
        if first.hasPrefix("%YAML") || first == "---" { return true }
        guard lines.count >= 3, !first.contains(where: { ",;\t".contains($0) }) else { return false }
        let members = lines.filter(isMember)
        return members.count * 5 >= lines.count * 4 && isMember(first)
    }

    /// Returns whether a line is `name: value`, `name:` or an element of a list.
    private static func isMember(_ line: Substring) -> Bool {
        if line.hasPrefix("- ") || line.hasPrefix("#") { return true }
        guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return false }
        let isName = line[..<colon].allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == "-"
        }
        let next = line.index(after: colon)
        return isName && (next == line.endIndex || line[next] == " ")
    }

    private static func isMarkdown(_ lines: [Substring]) -> Bool {
        guard let first = lines.first else { return false }
        if first.hasPrefix("```") { return true }
        let level = first.prefix { $0 == "#" }.count
        if (1...6).contains(level), first.dropFirst(level).first == " " { return true }
        guard lines.count > 1, first.hasPrefix("|") else { return false }
        return lines[1].hasPrefix("|") && lines[1].contains("-")
            && lines[1].allSatisfy { "|:- ".contains($0) }
    }

    /// The fields of the first lines, read with the delimiter of the first one.
    private struct Shape {
        /// The numbers of fields.
        let counts: [Int]
        /// Whether the records have a number of fields in common that is greater than 1.
        let isTable: Bool
        /// Whether the first record has that number of fields as well.
        let hasHeader: Bool

        init(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isWhole: Bool) {
            let shapes = CSVShape.delimiters.map {
                CSVShape(
                    UnsafeBufferPointer(rebasing: bytes), isWhole: isWhole, delimiter: $0, comment: [])
            }
            counts = shapes.first { $0.counts.first ?? 1 > 1 }?.counts ?? shapes[0].counts
            let tables = shapes.filter { shape in
                guard let common = shape.common else { return shape.counts.first ?? 1 > 1 }
                return common.isClear && common.count > 1
            }
            isTable = !tables.isEmpty
            hasHeader = tables.contains { $0.common.map(\.count) ?? $0.counts.first == $0.counts.first }
        }
    }

    /// Returns whether lines are sentences: long lines of words whose commas give no common number of fields.
    private static func isProse(_ lines: [Substring], _ shape: Shape) -> Bool {
        guard lines.count >= 3 else { return false }
        let words = lines.map { $0.split(separator: " ").count }
        let letters = lines.joined().count { $0.isLetter || $0 == " " }
        let characters = lines.reduce(0) { $0 + $1.count }
        guard letters * 100 >= characters * 80, words.reduce(0, +) >= 5 * lines.count else { return false }
        let first = shape.counts.first ?? 1
        let others = shape.counts.dropFirst().count { $0 != first }
        // A column of texts has a short name and quotes around texts with commas.
        if others == 0 { return words[0] >= 6 }
        return others * 5 >= shape.counts.count || words[0] >= 6
    }
}
