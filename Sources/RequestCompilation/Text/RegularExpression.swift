import Foundation
package import ObjectModel

/// A regular expression of ICU that a text must match as a whole, for `MATCHES`.
///
/// The number of steps and the depth are limited, so that no pattern can block a program. Both limits are
/// counts rather than times: a text fails on every machine or on none.
package struct RegularExpression {
    /// The largest length of a pattern, in bytes of UTF-8.
    package static let maximumLengthInBytes = 4_096
    /// The limit of progress reports of one search; ICU reports about every ten thousand steps.
    private static let maximumReports = 100

    private let source: String
    private let expression: NSRegularExpression
    private let options: PredicateTree.TextOptions

    /// Compiles a pattern.
    ///
    /// - Parameter options: `[c]` ignores case by ICU's rules; with `[d]` pattern and texts are compared
    ///   without marks.
    /// - Throws: ``ObjectStorageError`` for an invalid or very long regular expression.
    package init(_ pattern: String, options: PredicateTree.TextOptions) throws(ObjectStorageError) {
        guard pattern.utf8.count <= Self.maximumLengthInBytes else {
            throw ObjectStorageError(
                .invalidPredicate,
                "A regular expression has \(pattern.utf8.count) bytes, more than \(Self.maximumLengthInBytes). Write several conditions instead."
            )
        }
        let folded = TextFolding.fold(pattern, options.intersection(.ignoringDiacritics))
        let flags: NSRegularExpression.Options = options.contains(.ignoringCase) ? [.caseInsensitive] : []
        // The pattern is first compiled without the added group, to reject a pattern that is valid only
        // inside it.
        guard folded.isEmpty || (try? NSRegularExpression(pattern: folded, options: flags)) != nil,
            // A comment at the end of the pattern would hide the closing parenthesis; the line break ends the
            // comment.
            let whole = (try? NSRegularExpression(pattern: "\\A(?:\(folded))\\z", options: flags))
                ?? (try? NSRegularExpression(pattern: "\\A(?:\(folded)\n)\\z", options: flags))
        else {
            throw ObjectStorageError(
                .invalidPredicate,
                "MATCHES “\(pattern)”: this is not a valid regular expression. Put a backslash before ( ) [ ] { } . * + ? ^ $ | \\ to match the character itself; inside the quotes of a format each backslash is written twice."
            )
        }
        source = pattern
        expression = whole
        self.options = options
    }

    /// Returns whether a text as a whole matches.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/matchingTooLong`` if the limit is
    ///   exceeded.
    package func matches(_ text: UnsafeRawBufferPointer) throws(ObjectStorageError) -> Bool {
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
