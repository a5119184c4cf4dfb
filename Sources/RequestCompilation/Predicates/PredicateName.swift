import ObjectModel

/// The rules for names of properties in the format language.
package enum PredicateName {
    /// Returns a dotted key path as written in the format language: a name that could be parsed as another
    /// token gets a number sign, and quotes if it needs them.
    package static func written(path: String, isFirst: Bool) -> String {
        var parts: [String] = []
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            let isPlain = isIdentifier(name)
            let isKeyword = isFirst && parts.isEmpty && PredicateKeyword(name) != nil
            parts.append(isPlain ? (isKeyword ? "#" : "") + name : "#" + StoredValue.quoted(String(name)))
        }
        return parts.joined(separator: ".")
    }

    /// Returns whether a name consists of letters, digits and underscores, and does not begin with a digit.
    package static func isIdentifier(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy(isIdentifierByte)
    }

    /// Returns whether a byte can be part of a name without quotes. This includes all bytes of non-ASCII
    /// characters.
    package static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }
}
