/// The arrays of objects inside the first value of a file.
struct JSONOutline {
    /// The names of the members that lead to each array, separated by dots, in the order of the file.
    private(set) var paths: [String] = []
    /// Whether the first value is the only one, or could not be read to its end.
    private(set) var isAlone = true

    /// Whether the first value begins and ends on one line.
    private(set) var isOneLine = false

    private static let maximumCount = 20
    private static let maximumDepth = 8

    /// Reads the outline of a file whose first value is an object.
    ///
    /// - Complexity: O(*n*) in the bytes of the first value; memory does not depend on their number.
    init(_ source: ByteSource) {
        var parser = JSONParser(source: source, replacesInvalidUTF8: true, limits: JSONLimits())
        do throws(RecordError) {
            guard try parser.skipSpaceBetweenRecords() == UInt8(ascii: "{") else { return }
            let line = parser.line
            try readObject(&parser, path: "", depth: 1)
            isOneLine = parser.line == line
            isAlone = try parser.skipSpaceBetweenRecords() == nil
        } catch {
            // The reader of the records reports the error.
        }
    }

    private mutating func readObject(
        _ parser: inout JSONParser, path: String, depth: Int
    ) throws(RecordError) {
        parser.advance()
        while let byte = try parser.skipSpaceBetweenRecords(), byte != UInt8(ascii: "}") {
            if byte == UInt8(ascii: ",") {
                parser.advance()
                continue
            }
            guard byte == UInt8(ascii: "\"") else { throw parser.error("a key in quotes was expected") }
            let name = String(decoding: try parser.readText(), as: UTF8.self)
            guard try parser.skipSpaceBetweenRecords() == UInt8(ascii: ":") else {
                throw parser.error("a colon is missing")
            }
            parser.advance()
            let inner = path.isEmpty ? name : "\(path).\(name)"
            switch try parser.skipSpaceBetweenRecords() {
            case UInt8(ascii: "{") where depth < Self.maximumDepth:
                try readObject(&parser, path: inner, depth: depth + 1)
            case UInt8(ascii: "["): try readArray(&parser, path: inner)
            default: try parser.skipValue()
            }
        }
        guard try parser.peek() != nil else { throw parser.error("an object is not closed") }
        parser.advance()
    }

    private mutating func readArray(_ parser: inout JSONParser, path: String) throws(RecordError) {
        parser.advance()
        var hasObject = false
        // Also after an error, because a file that ends too early is an array in an object as well.
        defer { if hasObject, paths.count < Self.maximumCount { paths.append(path) } }
        while let byte = try parser.skipSpaceBetweenRecords(), byte != UInt8(ascii: "]") {
            if byte == UInt8(ascii: ",") {
                parser.advance()
                continue
            }
            if byte == UInt8(ascii: "{") { hasObject = true }
            try parser.skipValue()
        }
        guard try parser.peek() != nil else { throw parser.error("the array is not closed") }
        parser.advance()
    }
}
