/// A scanner that finds the end of a JSON object or array by its brackets and strings alone.
///
/// It reads text that a parser refused, so it stops where strings and brackets are ambiguous: at a quote
/// that neither opens nor closes a string by the bytes around it, at a bracket of another kind than the open
/// one, at a line end inside a string, and at an apostrophe or a slash outside strings.
struct JSONBracketScanner {
    /// The result of a scan.
    enum Outcome: Equatable {
        /// The first bracket was closed before this position.
        case closed(Int)
        /// The bytes end before the closing bracket.
        case incomplete
        /// The end cannot be known.
        case ambiguous
    }

    /// The closing brackets of all open objects and arrays.
    private var closings: [UInt8] = []
    private(set) var isText = false
    private var isEscaped = false
    /// Whether the last byte that is not white space closed a string.
    private var isAfterText = false
    /// The last byte outside strings that is not white space; a quote for a string.
    private(set) var last: UInt8 = 0
    /// The number of line ends so far.
    private(set) var lines = 0
    /// The largest number of open brackets.
    private let maximumDepth: Int

    init(maximumDepth: Int = 1 << 20) { self.maximumDepth = maximumDepth }

    /// Scans bytes, which continue those of the previous scan.
    ///
    /// - Complexity: O(*n*) in the bytes.
    mutating func scan(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Outcome {
        var position = start
        while position < end {
            let byte = bytes[position]
            position += 1
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    isAfterText = true
                    last = byte
                } else if byte == 0x0A {
                    return .ambiguous
                }
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0D: continue
            case 0x0A:
                lines += 1
                continue
            case UInt8(ascii: "\""):
                guard
                    [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":")].contains(
                        last)
                else { return .ambiguous }
                isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard !isAfterText, closings.count < maximumDepth else { return .ambiguous }
                closings.append(byte + 2)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard closings.popLast() == byte else { return .ambiguous }
                if closings.isEmpty { return .closed(position) }
            case UInt8(ascii: ","), UInt8(ascii: ":"): break
            case UInt8(ascii: "'"), UInt8(ascii: "/"): return .ambiguous
            default: guard !isAfterText else { return .ambiguous }
            }
            isAfterText = false
            last = byte
        }
        return .incomplete
    }
}
