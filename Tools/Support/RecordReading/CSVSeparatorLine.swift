/// A first line such as `sep=;`, with which spreadsheets name the delimiter of a CSV file.
struct CSVSeparatorLine {
    /// The delimiter that the line names.
    let delimiter: UInt8
    /// The bytes of the line without its line end.
    let text: [UInt8]

    private static let maximumSize = 7

    /// Finds the line at the beginning of the bytes that are not consumed, which stay. The result is nil if
    /// the line is another one, or names no single ASCII character other than letters, digits and quotes.
    init?(beginning source: ByteSource) throws(RecordError) {
        while source.available <= Self.maximumSize, try source.fill() {}
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        text = Array(bytes.prefix(Self.maximumSize + 1).prefix { $0 != 0x0A && $0 != 0x0D })
        let quote = UInt8(ascii: "\"")
        let isQuoted = text.count == Self.maximumSize && text.first == quote && text.last == quote
        let content = isQuoted ? text.dropFirst().dropLast() : text[...]
        guard content.count == 5, let delimiter = content.last, Self.canSeparate(delimiter),
            String(decoding: content.prefix(4), as: UTF8.self).lowercased() == "sep="
        else { return nil }
        self.delimiter = delimiter
    }

    private static func canSeparate(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09: true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "\""):
            false
        default: (0x20...0x7E).contains(byte)
        }
    }
}
