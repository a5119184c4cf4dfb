import Foundation

/// Maps texts that differ in case or marks alone to the same text.
///
/// `[c]` follows Unicode's full case folding: ß is SS, ς is σ, and no language has rules of its own, so that
/// the Turkish ı is not I. `[d]` takes the marks off letters that Unicode composes of a letter and marks: é
/// is e, also where it is written as two code points, but ø and ł are letters of their own. With either,
/// spellings that Unicode counts as the same text are the same; without, texts are compared by their bytes.
enum TextFolding {
    /// The form of a text by which it is compared.
    ///
    /// - Complexity: O(length). ASCII takes no detour.
    static func fold(_ text: String, _ options: PredicateTree.TextOptions) -> String {
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
            // Folding can bring forth marks: İ becomes i with a dot above.
            letters = caseFolded(letters).decomposedStringWithCanonicalMapping
        }
        var plain = String.UnicodeScalarView()
        for scalar in letters.unicodeScalars where !isMark(scalar) { plain.append(scalar) }
        // Composed again, because otherwise the Korean 가 would be the beginning of 각.
        return String(plain).precomposedStringWithCanonicalMapping
    }

    /// The value by which a value is compared: a folded text, and anything else as it is.
    static func fold(_ value: StoredValue, _ options: PredicateTree.TextOptions) -> StoredValue {
        if case .text(let text) = value { .text(fold(text, options)) } else { value }
    }

    /// Unicode's full case folding, made of its other mappings: the lower case of the upper case of the lower
    /// case joins the same characters.
    private static func caseFolded(_ text: String) -> String {
        var folded = ""
        for scalar in text.unicodeScalars {
            // The dotless ı has I as its upper case, but folds to itself.
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

    /// Whether a code point is a mark on the letter before it. The virama of Indic scripts is not: it joins
    /// two letters.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
            return false
        }
        let combiningClass = scalar.properties.canonicalCombiningClass
        return combiningClass != .notReordered && combiningClass != .virama
    }
}
