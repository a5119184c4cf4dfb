/// A reader of lines, with their ends.
struct LineScanner {
    private let source: ByteSource
    /// The number of the line that was read last, from 1.
    private(set) var number = 0

    /// Creates a reader of the lines of a source.
    init(_ source: ByteSource) { self.source = source }

    /// Returns the next line with its end, or nil after the last.
    ///
    /// - Throws: A fatal ``RecordError`` for a line that is too long.
    mutating func next() throws(RecordError) -> [UInt8]? {
        var count = 0
        while true {
            if count == source.available, try !source.fill() {
                guard count > 0 else { return nil }
                return take(count)
            }
            while count < source.available {
                let byte = source.bytes[source.start + count]
                count += 1
                if byte == 0x0A { return take(count) }
                guard byte == 0x0D else { continue }
                if count == source.available { _ = try source.fill() }
                let isPair = count < source.available && source.bytes[source.start + count] == 0x0A
                return take(isPair ? count + 1 : count)
            }
            guard count <= RecordLimits.recordSize else {
                throw RecordError(
                    file: source.path, line: number + 1,
                    reason: .limit("a line of more than \(RecordLimits.recordSize) bytes"), isFatal: true)
            }
        }
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let line = Array(UnsafeBufferPointer(start: source.bytes + source.start, count: count))
        source.consume(count)
        number += 1
        return line
    }
}

extension UInt8 {
    /// Whether the byte is a blank, a tab or a line end.
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    /// Whether the byte is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// Whether the byte is an ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension ArraySlice<UInt8> {
    /// The bytes without blanks and line ends at both ends.
    var withoutBlanks: ArraySlice<UInt8> {
        var text = drop(while: \.isBlank)
        while text.last?.isBlank == true { text.removeLast() }
        return text
    }
}
