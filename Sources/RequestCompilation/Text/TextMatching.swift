package import ObjectModel

/// The text relations of predicates: begins with, contains, ends with, is like and matches, by Unicode's
/// rules and independent of locale.
///
/// Both the SQL functions and the evaluation in memory use this type, so their results cannot differ.
package enum TextMatching {
    /// The version of the results: of the library's rules, and of the Unicode tables in the toolchain. Part
    /// of every fingerprint that depends on them.
    package static let version = "text/1, \(QueryEnvironment.description(usesFoundation: true))"

    /// A cache of parsed patterns, which are the same for all rows of a statement.
    package final class Memory {
        /// Creates an empty cache.
        package init() {}

        private static let maximumNumber = 16
        private var wildcards: [(source: [UInt8], pattern: WildcardPattern)] = []
        private var expressions:
            [(source: [UInt8], options: PredicateTree.TextOptions, pattern: RegularExpression?)] =
                []

        /// Returns the `LIKE` pattern with the given text, which is already folded.
        package func wildcardPattern(_ source: UnsafeRawBufferPointer) -> WildcardPattern {
            if let known = wildcards.last(where: { $0.source.elementsEqual(source) }) { return known.pattern }
            let pattern = WildcardPattern(String(decoding: source, as: UTF8.self))
            if wildcards.count == Self.maximumNumber { wildcards.removeFirst() }
            wildcards.append((Array(source), pattern))
            return pattern
        }

        /// Returns the regular expression with the given text; nil for an invalid one, which no text matches.
        ///
        /// - Throws: ``ObjectStorageError`` if the text is too long, whether valid or not.
        package func expression(
            _ source: UnsafeRawBufferPointer, _ options: PredicateTree.TextOptions
        ) throws(ObjectStorageError) -> RegularExpression? {
            guard source.count <= RegularExpression.maximumLengthInBytes else {
                throw ObjectStorageError(
                    .matchingTooLong,
                    "A row contains a regular expression of \(source.count) bytes, more than \(RegularExpression.maximumLengthInBytes). Store shorter ones in the attribute that MATCHES reads."
                )
            }
            let known = expressions.last { $0.options == options && $0.source.elementsEqual(source) }
            if let known { return known.pattern }
            let pattern: RegularExpression?
            do throws(ObjectStorageError) {
                pattern = try RegularExpression(String(decoding: source, as: UTF8.self), options: options)
            } catch {
                // A pattern from a row may be invalid; a pattern of the request was checked at compilation.
                pattern = nil
            }
            if expressions.count == Self.maximumNumber { expressions.removeFirst() }
            expressions.append((Array(source), options, pattern))
            return pattern
        }
    }

    /// Returns whether a relation holds between two texts. Both must already be folded by the options, except
    /// for ``PredicateTree/Relation/matches``.
    ///
    /// - Throws: ``ObjectStorageError`` for a regular expression that is too long, or exceeds the limit of
    ///   steps.
    package static func matches(
        _ text: UnsafeRawBufferPointer, _ relation: PredicateTree.Relation, _ other: UnsafeRawBufferPointer,
        options: PredicateTree.TextOptions, memory: Memory
    ) throws(ObjectStorageError) -> Bool {
        switch relation {
        case .beginsWith: return text.starts(with: other)
        case .contains: return contains(text, other)
        case .endsWith: return text.count >= other.count && text.suffix(other.count).elementsEqual(other)
        case .like: return memory.wildcardPattern(other).matches(text)
        case .matches:
            guard let expression = try memory.expression(other, options) else { return false }
            return try expression.matches(text)
        default: return false
        }
    }

    /// Returns whether a text contains the bytes of another.
    ///
    /// - Complexity: O(*n* · *m*); usually O(*n*).
    private static func contains(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard let first = other.first else { return true }
        guard text.count >= other.count else { return false }
        for start in 0...(text.count - other.count) where text[start] == first {
            if UnsafeRawBufferPointer(rebasing: text[start..<(start + other.count)]).elementsEqual(other) {
                return true
            }
        }
        return false
    }
}
