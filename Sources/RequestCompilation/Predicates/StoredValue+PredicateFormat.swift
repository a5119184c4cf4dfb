package import ObjectModel

extension StoredValue {
    /// The value in the format language: `nil`, `12`, `1.5`, `"text"`, `x'00ff'`.
    package var predicateLiteral: String {
        switch self {
        case .null: "nil"
        case .integer(let value): String(value)
        case .real(let value) where value.isInfinite: value < 0 ? "-1e999" : "1e999"
        case .real(let value): value.isNaN ? "nil" : String(value)
        case .text(let value): Self.quoted(value)
        case .blob(let bytes): "x'" + Self.hexadecimal(bytes) + "'"
        }
    }

    /// Returns a text in double quotes. Characters that are invisible, or would combine with an adjacent one,
    /// are written as their numbers.
    package static func quoted(_ text: String) -> String {
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
    /// The identity in the format language: `object("Artwork", 17)`, or `object("Artwork", new 3)` before the
    /// first save.
    package var predicateLiteral: String {
        let number =
            switch current.key {
            case .permanent(let key): String(key)
            case .temporary(let number): "new \(number)"
            }
        return "object(\(StoredValue.quoted(entityName)), \(number))"
    }
}
