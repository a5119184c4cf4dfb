/// The numbers of bytes of several kinds in a text.
struct EncodingStatistics {
    /// The number of sequences of two or more bytes that are UTF-8.
    var sequences = 0
    /// The number of bytes beyond ASCII that are not UTF-8.
    var invalid = 0
    /// The number of runs of bytes beyond ASCII that no Western text has.
    private var strangeRuns = 0
    private var runs = 0

    /// Whether the bytes that are not UTF-8 are letters and marks of a Western text.
    var isWestern: Bool { strangeRuns * 20 <= runs }

    /// The bytes that Windows-1252 does not define, and ÿ, which is more often a damaged byte.
    private static let undefined: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFF]
    /// Returns whether a byte is a sign in Windows-1252 that does not occur inside words. Code pages of DOS
    /// and of the Macintosh, and those for other languages, have letters there.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x82...0x84, 0x86...0x89, 0x8B, 0x94, 0x95, 0x98, 0x99, 0x9B: true
        // Ordinal indicators, the soft hyphen, accents used as apostrophes, and the dot of Catalan.
        case 0xAA, 0xAD, 0xB4, 0xB7, 0xBA: false
        default: (0xA1...0xBF).contains(byte)
        }
    }

    /// Adds bytes and returns their number without an incomplete run at their end.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var position = 0
        while position < bytes.count {
            let rest = bytes.count - position
            if UTF8Validation.isPlain(start + position, count: min(rest, 64)) {
                position += min(rest, 64)
                continue
            }
            while position < bytes.count, bytes[position] < 0x80 { position += 1 }
            var end = position
            while end < bytes.count, bytes[end] >= 0x80, end - position < 4_096 { end += 1 }
            guard end < bytes.count || isLast || end - position >= 4_096 else { return position }
            addRun(bytes, position..<end)
            position = end
        }
        return position
    }

    /// Adds a run of bytes beyond ASCII.
    private mutating func addRun(_ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>) {
        guard let start = bytes.baseAddress, !run.isEmpty else { return }
        let before = invalid
        var position = run.lowerBound
        while position < run.upperBound {
            let valid =
                UTF8Validation.firstInvalid(start + position, count: run.upperBound - position)
                ?? run.upperBound - position
            // Each sequence has one byte that is no continuation.
            for place in position..<(position + valid) where bytes[place] & 0xC0 != 0x80 {
                if !Self.isLetterAndMark(bytes[place], bytes[place + 1]) { sequences += 1 }
            }
            position += valid
            guard position < run.upperBound else { break }
            invalid += 1
            position += 1
        }
        guard invalid > before else { return }
        runs += 1
        let isWord =
            run.lowerBound > 0 && Self.isLetter(bytes[run.lowerBound - 1]) && run.upperBound < bytes.count
            && Self.isLetter(bytes[run.upperBound])
        var isStrange = run.count > 3
        for byte in bytes[run] {
            if Self.undefined.contains(byte) || isWord && Self.isSign(byte) { isStrange = true }
        }
        if isStrange { strangeRuns += 1 }
    }

    /// Returns whether a sequence of UTF-8 may be a letter and a quotation mark, a dash or an ellipsis in
    /// Windows-1252, such as `É»`.
    private static func isLetterAndMark(_ first: UInt8, _ second: UInt8) -> Bool {
        (0xC4...0xDF).contains(first)
            && [0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xA0, 0xAB, 0xBB].contains(second)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
