import Foundation

/// The encoding of a file that its bytes show.
public struct EncodingDetection: Sendable, Equatable {
    /// The name of the encoding as `iconv` knows it, or nil for UTF-8.
    public private(set) var name: String?
    /// A sentence for the user about the encoding, or nil for UTF-8.
    public private(set) var note: String?

    /// The number of bytes in which UTF-16 is recognized.
    private static let sampleSize = 64 << 10
    /// The number of characters beyond ASCII after which the rest of a file is not read.
    private static let certainCount = 4_096

    /// Recognizes UTF-8, UTF-16 and UTF-32 with a byte order mark, UTF-16 without one, and
    /// Windows-1252, which contains Latin-1.
    ///
    /// A file is read as Windows-1252 if it is not UTF-8, and if its letters beyond ASCII stand among ASCII
    /// letters. Other encodings are not guessed, because a wrong one would change letters. A few bytes that
    /// are not text do not make another encoding of UTF-8.
    ///
    /// - Parameter path: A file that can be read again, or whose copy is in the options.
    /// - Throws: ``RecordError`` if the file cannot be read, or if many of its bytes are not UTF-8 and its
    ///   encoding is not recognized.
    /// - Complexity: O(*n*) in the bytes of a file without letters beyond ASCII.
    public init(path: String, options: RecordOptions) throws(RecordError) {
        var options = options
        options.encoding = nil
        let source = try ByteSource(path: path, options: options)
        while source.available < Self.sampleSize, try source.fill() {}
        // The reader of the records names the format.
        guard OtherFormat(binary: source) == nil, !MARCParser.begins(source) else { return }
        let beginning = UnsafeBufferPointer(
            start: source.bytes + source.start, count: min(source.available, Self.sampleSize))
        let isWhole = source.isAtEndOfFile && source.available <= Self.sampleSize
        if let (name, hasMark) = Self.wide(beginning, isWhole: isWhole) {
            self.name = name
            note = "The file is \(name)\(hasMark ? "" : " without a byte order mark") and is converted."
            return
        }
        if let declared = Self.declared(beginning) {
            name = declared
            return
        }
        var statistics = EncodingStatistics()
        while true {
            let isLast = source.isAtEndOfFile
            let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
            source.consume(statistics.add(bytes, isLast: isLast))
            if isLast || max(statistics.sequences, statistics.invalid) >= Self.certainCount { break }
            _ = try source.fill()
        }
        if statistics.invalid > 10 * statistics.sequences, statistics.isWestern {
            name = "WINDOWS-1252"
            note =
                "The file is not UTF-8 and is read as Windows-1252, which contains Latin-1. If letters are wrong, pass --encoding."
        } else if statistics.invalid >= 10, statistics.invalid > statistics.sequences / 2 {
            throw RecordError(file: source.path, line: 0, reason: .unknownEncoding, isFatal: true)
        }
    }

    /// Returns the encoding that the declaration of an XML document names, or nil for UTF-8.
    private static func declared(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.starts(with: "<?xml".utf8) else { return nil }
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        guard let end = text.range(of: "?>"), let range = text.range(of: "encoding"),
            range.upperBound < end.lowerBound
        else { return nil }
        let value = text[range.upperBound..<end.lowerBound].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        let name = value.dropFirst().prefix { $0 != quote }.uppercased()
        return ["UTF-8", "UTF8", "US-ASCII"].contains(name) || name.isEmpty ? nil : name
    }

    /// Returns the encoding of a file with units of several bytes.
    ///
    /// Without a byte order mark, all bytes must be units of UTF-16 without U+0000.
    ///
    /// - Parameter isWhole: Whether the bytes are the whole file.
    private static func wide(
        _ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool
    ) -> (name: String, hasMark: Bool)? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return ("UTF-32LE", true) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return ("UTF-32BE", true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return ("UTF-16LE", true) }
        if bytes.starts(with: [0xFE, 0xFF]) { return ("UTF-16BE", true) }
        // Every text has some ASCII: delimiters, digits and line ends, whose units have a NUL each.
        var nuls = [0, 0]
        for (position, byte) in bytes.enumerated() where byte == 0 { nuls[position & 1] += 1 }
        let units = bytes.count / 2
        let count = nuls[0] + nuls[1]
        // A few characters, such as U+4E00, have a low byte of 0.
        guard min(nuls[0], nuls[1]) * 4 <= count, count >= max(2, units / 20), bytes.count.isMultiple(of: 2)
        else { return nil }
        if isUTF8WithNULs(bytes), count * 3 < units * 2 { return nil }
        let isLittle = nuls[1] > nuls[0]
        func unit(_ position: Int) -> UInt16 {
            let pair = (UInt16(bytes[2 * position]), UInt16(bytes[2 * position + 1]))
            return isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1
        }
        var isHigh = false
        for position in 0..<units {
            let isLow = (0xDC00...0xDFFF).contains(unit(position))
            guard isLow == isHigh, unit(position) != 0 else { return nil }
            isHigh = (0xD800...0xDBFF).contains(unit(position))
        }
        // The second half of a pair may follow the sample, but not the file.
        guard !isHigh || !isWhole else { return nil }
        return (isLittle ? "UTF-16LE" : "UTF-16BE", false)
    }

    /// Returns whether bytes are UTF-8 without control characters, apart from NULs and white space. The units
    /// of UTF-16 beyond ASCII have such bytes, or bytes that are not UTF-8, in nearly every text.
    private static func isUTF8WithNULs(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        // The last sequence may be incomplete.
        let valid = UTF8Validation.firstInvalid(start, count: bytes.count) ?? bytes.count
        return bytes.count - valid < 4
            && bytes.prefix(valid).allSatisfy { $0 == 0 || $0 >= 0x20 || $0.isBlank }
    }
}
