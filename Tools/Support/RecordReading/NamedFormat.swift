import Foundation

/// A format whose records name their fields.
public enum NamedFormat: String, Sendable, CaseIterable {
    case musicLibrary = "a music library"
    case outline = "OPML"
    case marcXML = "MARCXML"
    case marc = "MARC 21"
    case bibTeX = "BibTeX"
    case ris = "RIS"

    /// The usual end of a file's name, which serves estimates only: a file is recognized by its content.
    public var fileExtension: String {
        switch self {
        case .musicLibrary, .marcXML: ".xml"
        case .outline: ".opml"
        case .marc: ".mrc"
        case .bibTeX: ".bib"
        case .ris: ".ris"
        }
    }

    /// The number of bytes in which a format is recognized.
    private static let sampleSize = 64 << 10

    /// Recognizes the format of a file by its first bytes; nil for another one.
    ///
    /// - Parameter allowsPreamble: Whether other text may precede the first reference.
    static func of(_ source: ByteSource, allowsPreamble: Bool = true) throws(RecordError) -> NamedFormat? {
        while source.available < sampleSize, try source.fill() {}
        if MARCParser.begins(source) { return .marc }
        let count = min(source.available, sampleSize)
        let bytes = Array(UnsafeBufferPointer(start: source.bytes + source.start, count: count))
        let text = bytes.drop(while: \.isBlank)
        if text.first == UInt8(ascii: "<") { return markup(Array(text)) }
        let isOther = OtherFormat(binary: source) != nil || OtherFormat.beginsLikeJSON(source)
        return isOther ? nil : ReferenceSearch.format(in: text, allowsPreamble: allowsPreamble)
    }

    /// Recognizes a format of XML by its outermost element.
    private static func markup(_ text: [UInt8]) -> NamedFormat? {
        let start = String(decoding: text, as: UTF8.self)
        switch rootName(start) {
        case "plist":
            let text = start.lowercased()
            let isLibrary = ["<key>tracks</key>", "<key>major version</key>", "<key>playlists</key>"]
                .contains { text.contains($0) }
            return isLibrary ? .musicLibrary : nil
        case "collection", "record", "OAI-PMH", "searchRetrieveResponse":
            // The namespace may be missing.
            let isMARC = ["marc", "MARC", "datafield", "controlfield"].contains { start.contains($0) }
            return isMARC ? .marcXML : nil
        case let name: return name?.lowercased() == "opml" ? .outline : nil
        }
    }

    /// Returns the name of the outermost element without a prefix.
    private static func rootName(_ text: String) -> String? {
        var rest = text[...]
        while let sign = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: sign)...]
            if rest.hasPrefix("!--") {
                guard let end = rest.range(of: "-->") else { return nil }
                rest = rest[end.upperBound...]
            } else if let first = rest.first, first.isLetter {
                let name = rest.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
                return name.split(separator: ":").last.map(String.init)
            } else if rest.hasPrefix("!DOCTYPE"), let end = rest.range(of: ">") {
                // A document type may contain declarations, in which “>” may occur.
                if rest[..<end.lowerBound].contains("["), let end = rest.range(of: "]>") {
                    rest = rest[end.upperBound...]
                } else {
                    rest = rest[end.upperBound...]
                }
            }
        }
        return nil
    }

    /// Creates the reader of a file.
    ///
    /// - Parameter reopened: Returns the source from its beginning again, or nil if it can be read only once.
    /// - Throws: A fatal ``RecordError`` for an option that the format does not have.
    func reader(
        _ source: ByteSource, options: RecordOptions, fieldNames: [String]?,
        reopened: @escaping () -> ByteSource?
    ) throws(RecordError) -> NamedRecordReader {
        NamedRecordReader(
            try parser(source, options, reopened), format: self, options: options, fieldNames: fieldNames)
    }

    private func parser(
        _ source: ByteSource, _ options: RecordOptions, _ reopened: @escaping () -> ByteSource?
    ) throws(RecordError) -> any NamedRecordParser {
        func refused(_ reason: String) -> RecordError {
            RecordError(file: source.path, line: 0, reason: .markup(reason), isFatal: true)
        }
        var table = MusicLibraryTable.track
        if let name = options.arrayPath {
            guard self == .musicLibrary, let found = MusicLibraryTable(rawValue: name) else {
                let names = MusicLibraryTable.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
                throw refused(
                    self == .musicLibrary
                        ? "the file has no table “\(name)”; pass --at with one of \(names)"
                        : "the file has one list of records; leave --at out")
            }
            table = found
        } else if self == .musicLibrary {
            let names = MusicLibraryTable.allCases.map(\.rawValue)
            throw refused(
                "the file has several tables; pass --at with one of \(names.joined(separator: ", "))")
        }
        switch self {
        case .musicLibrary:
            return XMLRecordParser(
                source, handler: MusicLibraryHandler(table, movedFolders: options.movedFolders),
                options: options)
        case .outline: return XMLRecordParser(source, handler: OutlineHandler(), options: options)
        case .marcXML:
            do throws(XMLRefusal) {
                let columns = try MARCColumns(options.columnNames)
                return XMLRecordParser(
                    source, handler: MARCXMLHandler(columns, numbersElements: options.numbersElements),
                    options: options)
            } catch {
                throw refused(error.reason)
            }
        case .marc: return try MARCParser(source, options: options)
        case .bibTeX: return BibTeXParser(source, options: options, reopened: reopened)
        case .ris: return RISParser(source, options: options)
        }
    }
}
