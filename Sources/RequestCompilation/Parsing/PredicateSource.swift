package import ObjectModel

/// The text of a predicate, with the conversion of byte offsets into positions for error messages.
package struct PredicateSource {
    /// The largest length of a text, in bytes of UTF-8.
    package static let maximumLengthInBytes = 65_536

    /// The text as UTF-8.
    package let bytes: [UInt8]

    /// Creates the source of a format.
    ///
    /// - Throws: ``ObjectStorageError`` for a text that is too long.
    package init(_ format: String) throws(ObjectStorageError) {
        guard format.utf8.count <= Self.maximumLengthInBytes else {
            throw ObjectStorageError(
                .invalidPredicate,
                "The predicate has \(format.utf8.count) bytes, more than \(Self.maximumLengthInBytes). Pass long lists as arguments of %@."
            )
        }
        bytes = Array(format.utf8)
    }

    /// Returns an error at an offset.
    ///
    /// - Parameters:
    ///   - offset: The offset in bytes.
    ///   - message: The error and its remedy.
    package func error(at offset: Int, _ message: String) -> ObjectStorageError {
        let (line, column) = position(of: offset)
        return ObjectStorageError(
            .invalidPredicate,
            "The predicate's line \(line), column \(column): \(message) The predicate is “\(excerpt(around: offset))”."
        )
    }

    /// Returns an error about an unexpected token.
    package func error(at token: PredicateToken, expected: String) -> ObjectStorageError {
        let found = token.kind == .end ? "the end" : "“\(text(of: token.range))”"
        return error(at: token.range.lowerBound, "expected \(expected), found \(found).")
    }

    /// Returns a part of the text, truncated if it is long.
    private func text(of range: Range<Int>) -> String {
        let text = String(decoding: bytes[range], as: UTF8.self)
        return text.count > 40 ? text.prefix(40) + "…" : text
    }

    /// Returns the line and column of an offset, counted from 1; columns count characters.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        let newline = UInt8(ascii: "\n")
        let before = bytes[..<min(offset, bytes.count)]
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        let line = before.reduce(1) { $0 + ($1 == newline ? 1 : 0) }
        return (line, String(decoding: before[start...], as: UTF8.self).count + 1)
    }

    /// Returns the text, or if it is long the part around an offset.
    private func excerpt(around offset: Int) -> String {
        guard bytes.count > 120 else { return String(decoding: bytes, as: UTF8.self) }
        let start = max(0, min(offset, bytes.count) - 60)
        let end = min(bytes.count, start + 120)
        return (start > 0 ? "…" : "") + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count ? "…" : "")
    }
}
