package import ObjectModel

/// A lexer that splits the text of a predicate into tokens.
package struct PredicateLexer {
    /// The text.
    let source: PredicateSource
    private var offset = 0

    /// Creates a lexer at the beginning of a text.
    init(_ source: PredicateSource) { self.source = source }

    /// Returns the next token; at the end of the text, always `end`.
    ///
    /// - Throws: ``ObjectStorageError`` for characters that do not begin a token, and for unterminated
    ///   literals.
    package mutating func next() throws(ObjectStorageError) -> PredicateToken {
        while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { offset += 1 }
        let start = offset
        let kind = try kind()
        return PredicateToken(kind: kind, range: start..<offset)
    }

    private mutating func kind() throws(ObjectStorageError) -> PredicateToken.Kind {
        guard let byte = byte() else { return .end }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return .literal(.text(try quotedText(byte)))
        case UInt8(ascii: "x") where self.byte(1) == UInt8(ascii: "'"):
            return .literal(.blob(try quotedBytes()))
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        case UInt8(ascii: "#"):
            offset += 1
            if self.byte() == UInt8(ascii: "\"") { return .name(try quotedText(UInt8(ascii: "\""))) }
            return .name(try identifier(after: "#"))
        case UInt8(ascii: "$"):
            offset += 1
            return .variable(try identifier(after: "$"))
        case UInt8(ascii: "@"):
            offset += 1
            return .aggregate(try identifier(after: "@"))
        case UInt8(ascii: "%"): return .placeholder(try placeholder())
        default:
            if PredicateName.isIdentifierByte(byte) { return .word(try identifier(after: "")) }
            return .symbol(try symbol())
        }
    }

    /// Returns the byte at a distance from the lexer's position; nil beyond the end.
    private func byte(_ distance: Int = 0) -> UInt8? {
        offset + distance < source.bytes.count ? source.bytes[offset + distance] : nil
    }

    private mutating func identifier(after sign: String) throws(ObjectStorageError) -> String {
        let start = offset
        while let byte = byte(), PredicateName.isIdentifierByte(byte) { offset += 1 }
        guard offset > start else {
            throw source.error(at: start - 1, "a name must follow “\(sign)”.")
        }
        return String(decoding: source.bytes[start..<offset], as: UTF8.self)
    }

    private mutating func placeholder() throws(ObjectStorageError) -> PredicateToken.Placeholder {
        let start = offset
        offset += 1
        var word = ""
        while let byte = byte(), word.utf8.count < 4 {
            word.unicodeScalars.append(UnicodeScalar(byte))
            offset += 1
            switch word {
            case "@": return .value
            case "K": return .keyPath
            case "d", "i", "u", "ld", "li", "lu", "lld", "lli", "llu", "hd", "hi", "hu", "zd", "qd":
                return .integer
            case "f", "lf", "g", "e": return .number
            default: break
            }
        }
        throw source.error(
            at: start,
            "no placeholder begins like “%\(word.prefix(1))”. The placeholders are %@ for values, lists and objects, %K for key paths, %d and %f for numbers; a percent sign itself must be inside quotes."
        )
    }

    private mutating func symbol() throws(ObjectStorageError) -> PredicateToken.Symbol {
        // Longer spellings first, because they begin with shorter ones.
        let spellings: [(StaticString, PredicateToken.Symbol)] = [
            ("==", .equal), ("=<", .lessThanOrEqual), ("=>", .greaterThanOrEqual), ("!=", .notEqual),
            ("<>", .notEqual), ("<=", .lessThanOrEqual), (">=", .greaterThanOrEqual), ("&&", .and),
            ("||", .or),
            ("=", .equal), ("<", .lessThan), (">", .greaterThan), ("!", .not), ("(", .openParenthesis),
            (")", .closeParenthesis), ("[", .openBracket), ("]", .closeBracket), ("{", .openBrace),
            ("}", .closeBrace), (",", .comma), (".", .dot), (":", .colon), ("+", .plus), ("-", .minus),
            ("*", .times), ("/", .divide),
        ]
        for (spelling, symbol) in spellings {
            let length = spelling.utf8CodeUnitCount
            let isHere = (0..<length).allSatisfy { byte($0) == spelling.utf8Start[$0] }
            if isHere {
                offset += length
                return symbol
            }
        }
        let character = String(decoding: source.bytes[offset...].prefix(1), as: UTF8.self)
        throw source.error(
            at: offset,
            "“\(character)” is not valid here. Write texts in quotes, and names with characters other than letters and digits as #\"name\"."
        )
    }
}

extension PredicateLexer {
    /// Reads a text between two quotes, and resolves its backslash escapes.
    private mutating func quotedText(_ quote: UInt8) throws(ObjectStorageError) -> String {
        let start = offset
        offset += 1
        var bytes: [UInt8] = []
        while let byte = byte() {
            offset += 1
            if byte == quote { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let escape = offset - 1
            switch self.byte() {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "u"):
                offset += 1
                bytes += String(try escapedScalar(at: escape)).utf8
                continue
            case let byte? where byte < 0x80 && !PredicateName.isIdentifierByte(byte): bytes.append(byte)
            default:
                throw source.error(
                    at: escape,
                    "a backslash must precede n, r, t, u{…} or a character that is not a letter or digit. Write \\\\ for a backslash."
                )
            }
            offset += 1
        }
        throw source.error(at: start, "the text that begins here has no closing quote.")
    }

    /// Reads `{1f600}` or four hexadecimal digits.
    private mutating func escapedScalar(at start: Int) throws(ObjectStorageError) -> Character {
        let isBraced = byte() == UInt8(ascii: "{")
        if isBraced { offset += 1 }
        var value: UInt32 = 0
        var count = 0
        while count < (isBraced ? 8 : 4), let digit = byte().flatMap(Self.hexadecimalDigit) {
            value = value << 4 | UInt32(digit)
            count += 1
            offset += 1
        }
        let isClosed = isBraced ? count > 0 && byte() == UInt8(ascii: "}") : count == 4
        guard isClosed, let scalar = Unicode.Scalar(value) else {
            throw source.error(
                at: start,
                "\\u must be followed by the number of a character: \\u{e9}, or four digits, \\u00e9.")
        }
        if isBraced { offset += 1 }
        return Character(scalar)
    }

    /// Reads `x'00ff'`.
    private mutating func quotedBytes() throws(ObjectStorageError) -> [UInt8] {
        let start = offset
        offset += 2
        var bytes: [UInt8] = []
        while let high = byte().flatMap(Self.hexadecimalDigit) {
            guard let low = byte(1).flatMap(Self.hexadecimalDigit) else { break }
            bytes.append(high << 4 | low)
            offset += 2
        }
        guard byte() == UInt8(ascii: "'") else {
            throw source.error(at: start, "bytes are written with two hexadecimal digits each: x'00ff'.")
        }
        offset += 1
        return bytes
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Reads a number: 12, 0x1F, 0b101, 0o17, 1.5, 2e-3. A decimal integer outside 64 bits becomes the
    /// nearest REAL, as in SQL.
    private mutating func number() throws(ObjectStorageError) -> PredicateToken.Kind {
        let start = offset
        if byte() == UInt8(ascii: "0"), let letter = byte(1),
            let radix = [UInt8(ascii: "x"): 16, UInt8(ascii: "b"): 2, UInt8(ascii: "o"): 8][letter | 0x20]
        {
            offset += 2
            while let byte = byte(), PredicateName.isIdentifierByte(byte) { offset += 1 }
            let digits = String(decoding: source.bytes[(start + 2)..<offset], as: UTF8.self)
            guard let value = UInt64(digits, radix: radix) else {
                throw source.error(
                    at: start,
                    "“0\(Character(UnicodeScalar(letter)))\(digits)” is not a 64-bit integer.")
            }
            return .literal(.integer(Int64(bitPattern: value)))
        }
        skipDigits()
        var isWhole = true
        if byte() == UInt8(ascii: "."), let next = byte(1), (0x30...0x39).contains(next) {
            isWhole = false
            offset += 1
            skipDigits()
        }
        if let letter = byte(), letter | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
            if let next = byte(hasSign ? 2 : 1), (0x30...0x39).contains(next) {
                isWhole = false
                offset += hasSign ? 2 : 1
                skipDigits()
            }
        }
        let text = String(decoding: source.bytes[start..<offset], as: UTF8.self)
        if let byte = byte(), PredicateName.isIdentifierByte(byte) {
            throw source.error(
                at: start, "a name cannot begin with a digit. Write a space after “\(text)”, or #\"name\".")
        }
        if isWhole, let value = Int64(text) { return .literal(.integer(value)) }
        if isWhole, UInt64(text) == 1 << 63 { return .smallestIntegerMagnitude }
        guard let value = Double(text) else { throw source.error(at: start, "“\(text)” is not a number.") }
        return .literal(.real(value))
    }

    private mutating func skipDigits() {
        while let byte = byte(), (0x30...0x39).contains(byte) { offset += 1 }
    }
}
