extension JSONParser {
    /// Reads a number as the text that it is, checked against the grammar.
    func readNumber() throws(RecordError) -> [UInt8] {
        var text: [UInt8] = []
        func digits() throws(RecordError) -> Int {
            var count = 0
            while let byte = try peekByte(), (0x30...0x39).contains(byte) {
                text.append(byte)
                advance()
                count += 1
            }
            return count
        }
        if try peekByte() == UInt8(ascii: "-") {
            text.append(UInt8(ascii: "-"))
            advance()
        }
        let whole = try digits()
        guard whole > 0 else { throw error("a value was expected") }
        if whole > 1, text[text.count - whole] == 0x30 { throw error("a number must not begin with 0") }
        if try peekByte() == UInt8(ascii: ".") {
            text.append(UInt8(ascii: "."))
            advance()
            guard try digits() > 0 else { throw error("digits must follow the decimal point") }
        }
        if let byte = try peekByte(), byte | 0x20 == UInt8(ascii: "e") {
            text.append(UInt8(ascii: "e"))
            advance()
            if let sign = try peekByte(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                text.append(sign)
                advance()
            }
            guard try digits() > 0 else { throw error("digits must follow the exponent") }
        }
        return text
    }

    /// Reads a string without its quotes and escapes.
    func readString() throws(RecordError) -> [UInt8] {
        advance()
        var text: [UInt8] = []
        while true {
            guard let byte = try peekByte() else { throw error("a string is not closed", isFatal: true) }
            advance()
            switch byte {
            case UInt8(ascii: "\""):
                guard String(validating: text, as: UTF8.self) != nil else {
                    throw error("a string is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0..<0x20: throw error("a control character must be escaped")
            default: text.append(byte)
            }
            guard text.count <= RecordLimits.fieldSize else {
                throw error("a field of more than \(RecordLimits.fieldSize) bytes", isFatal: true)
            }
        }
    }

    private func readEscape(into text: inout [UInt8]) throws(RecordError) {
        guard let byte = try peekByte() else { throw error("a string is not closed", isFatal: true) }
        advance()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try readScalar()
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw error("there is no such escape")
        }
    }

    private func readScalar() throws(RecordError) -> Unicode.Scalar {
        let first = try readHexadecimal()
        if let scalar = Unicode.Scalar(first) {
            guard first != 0 else { throw error("a NUL character") }
            return scalar
        }
        // A high surrogate needs its low one.
        guard first < 0xDC00, try peekByte() == UInt8(ascii: "\\") else {
            throw error("half a surrogate pair")
        }
        advance()
        guard try peekByte() == UInt8(ascii: "u") else { throw error("half a surrogate pair") }
        advance()
        let second = try readHexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair") }
        return scalar
    }

    private func readHexadecimal() throws(RecordError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peekByte(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits were expected")
            }
            advance()
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
