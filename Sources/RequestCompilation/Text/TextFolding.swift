import Foundation
package import ObjectModel

/// Maps texts that differ only in case or marks to the same text.
///
/// `[c]` uses Unicode's full case folding: ß is SS, ς is σ, and no language-specific rules apply, so the
/// Turkish ı is not I. `[d]` removes the marks of letters that Unicode decomposes into a letter and marks: é
/// is e, also if it is written as two code points, but ø and ł are separate letters. With either option,
/// canonically equivalent spellings are equal; without options, texts are compared by their bytes.
package enum TextFolding {
    /// Returns the form of a text by which it is compared.
    ///
    /// - Complexity: O(length), with a fast path for ASCII.
    package static func fold(_ text: String, _ options: PredicateTree.TextOptions) -> String {
        guard !options.isEmpty else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.ignoringCase) ? text.lowercased() : text
        }
        guard options.contains(.ignoringDiacritics) else {
            return caseFolded(text.precomposedStringWithCanonicalMapping)
                .precomposedStringWithCanonicalMapping
        }
        var letters = text.decomposedStringWithCanonicalMapping
        if options.contains(.ignoringCase) {
            // Folding can create marks: İ becomes i with a dot above.
            letters = caseFolded(letters).decomposedStringWithCanonicalMapping
        }
        var plain = String.UnicodeScalarView()
        for scalar in letters.unicodeScalars where !isMark(scalar) { plain.append(scalar) }
        // Composed again, because otherwise the Korean 가 would be a prefix of 각.
        return String(plain).precomposedStringWithCanonicalMapping
    }

    /// Returns the form of a value by which it is compared: a folded text, and any other value unchanged.
    package static func fold(_ value: StoredValue, _ options: PredicateTree.TextOptions) -> StoredValue {
        if case .text(let text) = value { .text(fold(text, options)) } else { value }
    }

    /// Returns Unicode's full case folding, derived from its other mappings: the lower case of the upper case
    /// of the lower case unifies the same characters.
    private static func caseFolded(_ text: String) -> String {
        var folded = ""
        for scalar in text.unicodeScalars {
            // The upper case of the dotless ı is I, but its folding is ı itself.
            guard scalar != "\u{131}" else {
                folded.unicodeScalars.append(scalar)
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    folded += upper.properties.lowercaseMapping
                }
            }
        }
        return folded
    }

    /// Returns whether a code point is a mark on the preceding letter. The virama of Indic scripts is not: it
    /// joins two letters.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
            return false
        }
        let combiningClass = scalar.properties.canonicalCombiningClass
        return combiningClass != .notReordered && combiningClass != .virama
    }
}
