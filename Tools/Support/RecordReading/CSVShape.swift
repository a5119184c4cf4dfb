/// The numbers of fields of a CSV file's first records, found without consuming them.
struct CSVShape {
    /// The numbers of fields, without empty lines.
    private(set) var counts: [Int] = []
    /// The number of lines before each record.
    private(set) var linesBefore: [Int] = []

    /// The delimiters that are detected, the preferred one first.
    static let delimiters = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]

    private static let maximumCount = 200
    private static let byteCount = 64 << 10

    /// Finds the records at the beginning of a file. A last record that may be incomplete is left out.
    ///
    /// - Complexity: O(*n*) in the bytes.
    init(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool, delimiter: UInt8, comment: [UInt8]) {
        guard let start = bytes.baseAddress else { return }
        let scanner = CSVScanner(delimiter: delimiter)
        var place = 0
        var lines = 0
        while place < bytes.count, counts.count < Self.maximumCount {
            let rest = UnsafeBufferPointer(rebasing: bytes[place...])
            if !comment.isEmpty, rest.starts(with: comment) {
                place += Self.lengthOfLine(rest)
                lines += 1
                continue
            }
            switch scanner.scan(start + place, count: rest.count, isLast: isWhole) {
            case .record(let byteCount, let lineCount), .bad(_, let byteCount, let lineCount):
                if rest[0] != 0x0A, rest[0] != 0x0D {
                    counts.append(scanner.fieldCount)
                    linesBefore.append(lines)
                }
                place += byteCount
                lines += lineCount
            case .incomplete, .unclosed: return
            }
        }
    }

    /// Returns the number of bytes of the first line, with its end.
    private static func lengthOfLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let end = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return bytes.count }
        let isPair = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
        return end + (isPair ? 2 : 1)
    }

    /// The number of fields that most records after the first have, and whether at least three of five have
    /// it; nil if fewer than two records follow.
    var common: (count: Int, isClear: Bool)? {
        guard counts.count > 2 else { return nil }
        var frequencies: [Int: Int] = [:]
        for count in counts.dropFirst() { frequencies[count, default: 0] += 1 }
        guard let most = frequencies.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return nil }
        return (most.key, most.value >= 2 && most.value * 5 >= (counts.count - 1) * 3)
    }

    /// Returns the bytes in the window that show the shape of a file.
    static func beginning(of source: ByteSource) -> (bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) {
        let count = min(source.available, byteCount)
        return (
            UnsafeBufferPointer(start: source.bytes + source.start, count: count),
            source.isAtEndOfFile && count == source.available
        )
    }

    /// Returns the delimiter that occurs most often in the first record outside quotes, or a comma if none
    /// occurs.
    static func delimiter(of source: ByteSource, comment: [UInt8]) throws(RecordError) -> UInt8 {
        while source.available < byteCount, try source.fill() {}
        var counts = [0, 0, 0]
        var isQuoted = false
        // A quote in the middle of a field is an ordinary character.
        var isFieldStart = true
        for byte in withoutComments(
            UnsafeBufferPointer(start: source.bytes + source.start, count: source.available), comment)
        {
            if byte == UInt8(ascii: "\""), isFieldStart || isQuoted {
                isQuoted.toggle()
                // Two quotes in a row are an escaped quote and do not end the field.
                isFieldStart = !isQuoted
                continue
            }
            if isQuoted { continue }
            if byte == 0x0A || byte == 0x0D { break }
            let candidate = delimiters.firstIndex(of: byte)
            isFieldStart = candidate != nil
            if let candidate { counts[candidate] += 1 }
        }
        let best = counts.indices.reduce(0) { counts[$1] > counts[$0] ? $1 : $0 }
        return delimiters[best]
    }

    /// Returns the bytes after empty lines and comments.
    private static func withoutComments(
        _ bytes: UnsafeBufferPointer<UInt8>, _ comment: [UInt8]
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        var rest = bytes.drop { $0 == 0x0A || $0 == 0x0D }
        while !comment.isEmpty, rest.starts(with: comment) {
            rest = rest.drop { $0 != 0x0A && $0 != 0x0D }.drop { $0 == 0x0A || $0 == 0x0D }
        }
        return rest
    }

    /// Returns the first record's number of fields, that of most others, and the number of lines before the
    /// first of these, if the first record has fewer fields than the others.
    ///
    /// - Parameter isDetected: Whether the delimiter was detected by the first record alone, so that another
    ///   may be the right one.
    static func preamble(
        of beginning: (bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool), delimiter: UInt8, isDetected: Bool,
        comment: [UInt8]
    ) -> (found: Int, expected: Int, linesBefore: Int)? {
        for candidate in isDetected ? [delimiter] + delimiters.filter({ $0 != delimiter }) : [delimiter] {
            let shape = CSVShape(
                beginning.bytes, isWhole: beginning.isWhole, delimiter: candidate, comment: comment)
            guard let common = shape.common, common.isClear, let first = shape.counts.first,
                first < common.count,
                // Texts with one semicolon each are more likely than a file with another delimiter.
                candidate == delimiter || first == 1 && common.count > 2,
                let position = shape.counts.firstIndex(of: common.count)
            else {
                // The first record shows the delimiter.
                if candidate == delimiter, shape.counts.first ?? 1 > 1 { return nil }
                continue
            }
            return (first, common.count, shape.linesBefore[position])
        }
        return nil
    }

    /// Returns the position at which the last lines begin that are not empty. The last line need not be
    /// complete.
    static func startOfLast(_ count: Int, linesOf bytes: UnsafeBufferPointer<UInt8>) -> Int {
        func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        var position = bytes.count
        for _ in 0..<count {
            while position > 0, isLineEnd(bytes[position - 1]) { position -= 1 }
            while position > 0, !isLineEnd(bytes[position - 1]) { position -= 1 }
        }
        return position
    }
}
