extension JSONParser {
    /// Returns the error of a record whose value at a position begins no value of JSON.
    ///
    /// The position of the parser is undefined afterwards.
    mutating func valueError(at start: Int) -> RecordError {
        position = start
        var word: [UInt8] = []
        // The bytes that follow only improve the message, so an error while reading them is ignored.
        while word.count < 12, let byte = (try? peek()) ?? nil,
            Self.isWord(byte) || (word.isEmpty && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")))
        {
            word.append(byte)
            advance()
        }
        if let dialect = JSONDialect(word: String(decoding: word, as: UTF8.self)) {
            return error(dialect, at: start)
        }
        if word.isEmpty, let dialect = dialect(beginningWith: (try? peek()) ?? nil) {
            return error(dialect, at: start)
        }
        return error("a value was expected", at: start)
    }

    /// Returns the error of a record whose byte at the position is neither a name nor punctuation.
    ///
    /// - Parameters:
    ///   - detail: The error if the byte belongs to no known construct.
    ///   - isName: Whether a name could be at the position.
    func structureError(_ detail: String, byte: UInt8, isName: Bool = false) -> RecordError {
        if isName, Self.isWord(byte), !(0x30...0x39).contains(byte) {
            return error(.unquotedName, at: position)
        }
        if byte == UInt8(ascii: "'"), !isName { return error(detail) }
        return dialect(beginningWith: byte).map { error($0, at: position) } ?? error(detail)
    }

    func error(_ dialect: JSONDialect, at start: Int) -> RecordError {
        RecordError(
            file: source.path, line: recordLine,
            reason: .dialect(dialect, byteOffset: source.offset + start))
    }

    private func dialect(beginningWith byte: UInt8?) -> JSONDialect? {
        switch byte {
        case UInt8(ascii: "'"): .singleQuotes
        case UInt8(ascii: "/"), UInt8(ascii: "#"): .comment
        default: nil
        }
    }

    /// Returns whether a byte belongs to a name of JavaScript.
    private static func isWord(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }
}
