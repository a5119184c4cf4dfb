extension JSONParser {
    /// Reads a literal and appends it to the record's text.
    mutating func readWord(_ word: StaticString) throws(RecordError) {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else {
                throw error("“\(word)” was expected", at: start)
            }
            advance()
        }
        record.text.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: position - start))
    }

    /// Reads a number, checks it against the grammar, and appends it unchanged to the record's text.
    mutating func readNumber() throws(RecordError) {
        let start = position
        if try peek() == UInt8(ascii: "-") { advance() }
        let whole = position
        let wholeCount = try skipDigits()
        guard wholeCount > 0 else { throw valueError(at: start) }
        if wholeCount > 1, bytes[whole] == UInt8(ascii: "0") {
            throw error("a number must not begin with 0", at: start)
        }
        if try peek() == UInt8(ascii: ".") {
            advance()
            guard try skipDigits() > 0 else { throw error("digits must follow the decimal point") }
        }
        if let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") {
            advance()
            if let sign = try peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { advance() }
            guard try skipDigits() > 0 else { throw error("digits must follow the exponent") }
        }
        try checkFieldSize(position - start)
        record.text.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: position - start))
    }

    private mutating func skipDigits() throws(RecordError) -> Int {
        let start = position
        while let byte = try peek(), (0x30...0x39).contains(byte) { advance() }
        return position - start
    }

    func checkFieldSize(_ size: Int) throws(RecordError) {
        guard size > RecordLimits.fieldSize else { return }
        throw limitError("a field of more than \(RecordLimits.fieldSize) bytes")
    }

    /// Reads a string and appends it, without quotes and escapes, to the record's text.
    mutating func readString() throws(RecordError) {
        let textStart = record.text.count
        advance()
        let start = position
        var highBits: UInt8 = 0
        while true {
            let runStart = position
            // Local variables, because properties would be loaded again for each byte.
            let (bytes, count) = (bytes, count)
            var run = position
            while run < count {
                let byte = bytes[run]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
                highBits |= byte
                run += 1
            }
            position = run
            record.text.append(
                contentsOf: UnsafeBufferPointer(start: bytes + runStart, count: run - runStart))
            try checkFieldSize(record.text.count - textStart)
            guard let byte = try peek() else { throw error("a string is not closed") }
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                advance()
                try readEscape()
            } else if byte < 0x20 {
                throw error("a control character must be escaped")
            }
        }
        if highBits >= 0x80, !replacesInvalidUTF8,
            let offset = UTF8Validation.firstInvalid(bytes + start, count: position - start)
        {
            throw RecordError(
                file: source.path, line: recordLine,
                reason: source.invalidText(at: source.offset + start + offset))
        }
        advance()
    }

    private mutating func readEscape() throws(RecordError) {
        let start = position - 1
        guard let byte = try peek() else { throw error("a string is not closed") }
        advance()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): record.text.append(byte)
        case UInt8(ascii: "b"): record.text.append(0x08)
        case UInt8(ascii: "f"): record.text.append(0x0C)
        case UInt8(ascii: "n"): record.text.append(0x0A)
        case UInt8(ascii: "r"): record.text.append(0x0D)
        case UInt8(ascii: "t"): record.text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try readScalar(start: start)
            record.text.append(contentsOf: UTF8.encode(scalar)!)
        default: throw error("invalid escape sequence", at: start)
        }
    }

    private mutating func readScalar(start: Int) throws(RecordError) -> Unicode.Scalar {
        let first = try readHexadecimal()
        if let scalar = Unicode.Scalar(first) {
            guard first != 0 else { throw error("a NUL character", at: start) }
            return scalar
        }
        // A high surrogate must be followed by a low surrogate.
        guard first < 0xDC00, try peek() == UInt8(ascii: "\\") else {
            throw error("half a surrogate pair", at: start)
        }
        advance()
        guard try peek() == UInt8(ascii: "u") else { throw error("half a surrogate pair", at: start) }
        advance()
        let second = try readHexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair", at: start) }
        return scalar
    }

    private mutating func readHexadecimal() throws(RecordError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch try peek() {
            case let byte? where (0x30...0x39).contains(byte): digit = byte - 0x30
            case let byte? where (0x61...0x66).contains(byte | 0x20): digit = (byte | 0x20) - 0x61 + 10
            default: throw error("four hexadecimal digits were expected")
            }
            advance()
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
