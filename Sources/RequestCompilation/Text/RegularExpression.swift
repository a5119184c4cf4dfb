import Foundation

/// What `MATCHES` compares with: a regular expression of ICU that a text must fit as a whole.
///
/// The number of steps is bounded, and so is its depth, so that no pattern can hold a program up. Both bounds
/// are counted and not timed: the same text fails or not on every machine.
struct RegularExpression {
    /// The greatest length of a pattern.
    static let maximumLengthInBytes = 4_096
    /// How often a search may report its progress, which it does about every ten thousand steps.
    private static let maximumReports = 100

    private let source: String
    private let expression: NSRegularExpression
    private let options: PredicateTree.TextOptions

    /// Compiles a pattern.
    ///
    /// - Parameter options: With `[c]` case is ignored as ICU does it, with `[d]` pattern and texts are
    ///   compared without marks.
    /// - Throws: ``ObjectStorageError`` for what is no regular expression, or a very long one.
    init(_ pattern: String, options: PredicateTree.TextOptions) throws(ObjectStorageError) {
        guard pattern.utf8.count <= Self.maximumLengthInBytes else {
            throw ObjectStorageError(
                .invalidPredicate,
                "A regular expression has \(pattern.utf8.count) bytes, more than \(Self.maximumLengthInBytes). Write several conditions instead."
            )
        }
        let folded = TextFolding.fold(pattern, options.intersection(.ignoringDiacritics))
        let flags: NSRegularExpression.Options = options.contains(.ignoringCase) ? [.caseInsensitive] : []
        // By itself first, so that what only closes our brackets is refused.
        guard folded.isEmpty || (try? NSRegularExpression(pattern: folded, options: flags)) != nil,
            // A comment at the end would hide our bracket; the line break ends it.
            let whole = (try? NSRegularExpression(pattern: "\\A(?:\(folded))\\z", options: flags))
                ?? (try? NSRegularExpression(pattern: "\\A(?:\(folded)\n)\\z", options: flags))
        else {
            throw ObjectStorageError(
                .invalidPredicate,
                "MATCHES “\(pattern)”: this is no regular expression. Put a backslash before ( ) [ ] { } . * + ? ^ $ | \\ where they stand for themselves; in the quotes of a format each backslash is written twice."
            )
        }
        source = pattern
        expression = whole
        self.options = options
    }

    /// Whether a text as a whole fits.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/matchingTooLong`` beyond the bound.
    func matches(_ text: UnsafeRawBufferPointer) throws(ObjectStorageError) -> Bool {
        let text = TextFolding.fold(
            String(decoding: text, as: UTF8.self), options.intersection(.ignoringDiacritics))
        var isMatch = false
        var reports = 0
        var hasFailed = false
        expression.enumerateMatches(
            in: text, options: [.anchored, .reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: text.utf16.count)
        ) { match, flags, stop in
            if flags.contains(.internalError) { hasFailed = true }
            if match != nil {
                isMatch = true
                stop.pointee = true
            } else if flags.contains(.progress) {
                reports += 1
                if reports > Self.maximumReports {
                    hasFailed = true
                    stop.pointee = true
                }
            }
        }
        guard !hasFailed else {
            throw ObjectStorageError(
                .matchingTooLong,
                "MATCHES “\(source)” takes too many steps for a text of \(text.utf16.count) characters. Avoid repetitions inside repetitions, such as (a+)+."
            )
        }
        return isMatch
    }
}
