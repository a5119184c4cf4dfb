extension StoredValue {
    /// The value as the format language writes it: `nil`, `12`, `1.5`, `"text"`, `x'00ff'`.
    var predicateLiteral: String {
        switch self {
        case .null: "nil"
        case .integer(let value): String(value)
        case .real(let value) where value.isInfinite: value < 0 ? "-1e999" : "1e999"
        case .real(let value): value.isNaN ? "nil" : String(value)
        case .text(let value): Self.quoted(value)
        case .blob(let bytes): "x'" + Self.hexadecimal(bytes) + "'"
        }
    }

    /// A text in double quotes. What is not to be seen, or would join with what stands beside it, is written
    /// by its number.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if isVisible(scalar) {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
                }
            }
        }
        return quoted + "\""
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
            .nonspacingMark,
            .enclosingMark:
            return false
        default: return true
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension ObjectID {
    /// The identity as the format language writes it: `object("Artwork", 17)`, before the first save
    /// `object("Artwork", new 3)`.
    var predicateLiteral: String {
        let number =
            switch current.key {
            case .permanent(let key): String(key)
            case .temporary(let number): "new \(number)"
            }
        return "object(\(StoredValue.quoted(entityName)), \(number))"
    }
}

/// Names of properties in the format language.
enum PredicateName {
    /// A dotted key path; names that could be taken for something else get a number sign, and quotes where
    /// they need them.
    static func written(path: String, isFirst: Bool) -> String {
        var parts: [String] = []
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            let isPlain = isIdentifier(name)
            let isKeyword = isFirst && parts.isEmpty && PredicateKeyword(name) != nil
            parts.append(isPlain ? (isKeyword ? "#" : "") + name : "#" + StoredValue.quoted(String(name)))
        }
        return parts.joined(separator: ".")
    }

    /// Whether a name is letters, digits and underscores, and begins with no digit.
    static func isIdentifier(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy(isIdentifierByte)
    }

    /// Whether a byte can be part of a name written without quotes. Bytes of characters beyond ASCII can.
    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }
}
