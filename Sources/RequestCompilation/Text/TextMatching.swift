/// Decides whether a text begins with, contains, is like or matches another, under Unicode and under no
/// locale.
///
/// SQL's functions and the evaluation in memory both ask here, so that they cannot differ.
enum TextMatching {
    /// What the answers depend on: our own rules, and the tables of Unicode that come with the toolchain.
    /// Part of every fingerprint that depends on it.
    static let version = "text/1, \(QueryEnvironment.description(usesFoundation: true))"

    /// What stays the same from row to row: patterns that were taken apart.
    final class Memory {
        private static let maximumNumber = 16
        private var wildcards: [(source: [UInt8], pattern: WildcardPattern)] = []
        private var expressions:
            [(source: [UInt8], options: PredicateTree.TextOptions, pattern: RegularExpression?)] =
                []

        /// The pattern of `LIKE` with a source, already folded.
        func wildcardPattern(_ source: UnsafeRawBufferPointer) -> WildcardPattern {
            if let known = wildcards.last(where: { $0.source.elementsEqual(source) }) { return known.pattern }
            let pattern = WildcardPattern(String(decoding: source, as: UTF8.self))
            if wildcards.count == Self.maximumNumber { wildcards.removeFirst() }
            wildcards.append((Array(source), pattern))
            return pattern
        }

        /// The regular expression with a source; nil if it is none, which no text matches.
        ///
        /// - Throws: ``ObjectStorageError`` if it is too long, whether or not it is one.
        func expression(
            _ source: UnsafeRawBufferPointer, _ options: PredicateTree.TextOptions
        ) throws(ObjectStorageError) -> RegularExpression? {
            guard source.count <= RegularExpression.maximumLengthInBytes else {
                throw ObjectStorageError(
                    .matchingTooLong,
                    "A row has a regular expression of \(source.count) bytes, more than \(RegularExpression.maximumLengthInBytes). Keep shorter ones in what MATCHES reads."
                )
            }
            let known = expressions.last { $0.options == options && $0.source.elementsEqual(source) }
            if let known { return known.pattern }
            let pattern: RegularExpression?
            do throws(ObjectStorageError) {
                pattern = try RegularExpression(String(decoding: source, as: UTF8.self), options: options)
            } catch {
                // A pattern that a row has may be anything; one that the request has was checked when it was
                // compiled.
                pattern = nil
            }
            if expressions.count == Self.maximumNumber { expressions.removeFirst() }
            expressions.append((Array(source), options, pattern))
            return pattern
        }
    }

    /// Whether a text fits another. Both are folded by the options first, where the relation is not
    /// ``PredicateTree/Relation/matches``.
    ///
    /// - Throws: ``ObjectStorageError`` for a regular expression that is too long, or takes too many steps.
    static func matches(
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

    /// Whether some bytes are among others.
    ///
    /// - Complexity: O(*n* · *m*); as a rule O(*n*).
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
