/// The text around the records of a file, for another file with some of them that is read with the same
/// options.
public struct RecordFrame: Hashable, Sendable {
    /// The text before the first record.
    public let beginning: [UInt8]
    /// The text between two records.
    public let separator: [UInt8]
    /// The text after the last record.
    public let end: [UInt8]
    /// Whether the text of each record ends with a line end.
    public let endsRecordsWithLines: Bool

    /// Creates the frame of CSV.
    ///
    /// - Parameters:
    ///   - separatorLine: The first line without its line end, if it names the delimiter.
    ///   - skippedLines: The number of lines above the header, with that line.
    ///   - header: The header with its line end, or nothing.
    ///   - skippedFooterLines: The number of lines below the records.
    init(separatorLine: [UInt8]?, skippedLines: Int, header: [UInt8], skippedFooterLines: Int) {
        let isEnded = header.isEmpty || header.last == 0x0A || header.last == 0x0D
        beginning =
            (separatorLine ?? []) + [UInt8](repeating: 0x0A, count: skippedLines) + header
            + (isEnded ? [] : [0x0A])
        separator = []
        end = Array(String(repeating: "(end)\n", count: skippedFooterLines).utf8)
        endsRecordsWithLines = true
    }

    /// Creates the frame of records with only line ends between them, such as lines of JSON and records of
    /// RIS.
    init() {
        beginning = []
        separator = Array("\n".utf8)
        end = separator
        endsRecordsWithLines = false
    }

    /// Creates the frame of an array of JSON.
    ///
    /// - Parameter path: The names of the members that lead to the array.
    init(path: [[UInt8]]) {
        beginning =
            path.reduce(into: []) { $0 += Array("{".utf8) + Self.quoted($1) + Array(": ".utf8) }
            + Array("[\n".utf8)
        separator = Array(",\n".utf8)
        end = Array(("\n]" + String(repeating: "}", count: path.count) + "\n").utf8)
        endsRecordsWithLines = false
    }

    private static func quoted(_ name: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in name {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                text += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
            default: text.append(byte)
            }
        }
        return text + [UInt8(ascii: "\"")]
    }
}
