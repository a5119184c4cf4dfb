#if canImport(_FoundationICU)
import ObjectModel
import _FoundationICU
#endif

/// The weights of letters in a locale's order.
extension LocalizedOrder {
    /// Returns the primary weights of a text: the part of its key that distinguishes letters, but not their
    /// marks, case and width. Texts whose weights begin with the same bytes are adjacent in the order.
    ///
    /// No weight is a prefix of another (Unicode Technical Standard #10, section 9.1), and none has a byte
    /// below 2, because such a byte ends the weights (ICU's user guide, "Sort Key Features").
    package func weights(of text: String) -> [UInt8] { Array(key(of: text).prefix { $0 > 1 }) }

    #if canImport(_FoundationICU)
    /// The largest first byte of the weights of characters that precede all letters. Digits are the last of
    /// these (Unicode Technical Standard #35, part 5, "Collation Reordering").
    package var lastBeforeLetters: UInt8 {
        // Digits that are compared by their value, digits of other forms, and numbers that are not digits.
        ["9", "⑨", "௲", "፼", "𐄳"].compactMap { weights(of: $0).first }.max() ?? 0
    }

    /// Whether the locale changes the default order of letters, or sorts two letters as one.
    package var isTailored: Bool {
        var length: Int32 = 0
        guard let collator else { return false }
        _ = swift_ucol_getRules(collator, &length)
        return length > 0
    }

    /// Returns the letters of an index in a locale; some are two or three characters for ICU: “CH” in Czech.
    package static func indexLetters(locale identifier: String) -> [String] {
        var status = U_ZERO_ERROR
        guard let data = swift_ulocdata_open(identifier, &status) else { return [] }
        defer { swift_ulocdata_close(data) }
        guard let set = swift_ulocdata_getExemplarSet(data, nil, 0, ULOCDATA_ES_INDEX, &status) else {
            return []
        }
        defer { swift_uset_close(set) }
        var letters: [String] = []
        for item in 0..<swift_uset_getItemCount(set) {
            var (first, last) = (UChar32(0), UChar32(0))
            var units = [UInt16](repeating: 0, count: 16)
            let length = swift_uset_getItem(set, item, &first, &last, &units, Int32(units.count), &status)
            // A length of zero indicates a range of characters.
            if length >= 2, length <= units.count {
                letters.append(String(decoding: units[..<Int(length)], as: UTF16.self))
            } else if length == 0, first <= last {
                letters += (first...last).compactMap { Unicode.Scalar(UInt32($0)).map { String($0) } }
            }
        }
        return letters
    }
    #else
    /// The largest first byte of characters that precede all letters, which are folded on this system.
    package var lastBeforeLetters: UInt8 { UInt8(ascii: "a") - 1 }

    /// Whether the locale changes the default order of letters, or sorts two letters as one: false, because
    /// the collation is not available on this system.
    package var isTailored: Bool { false }

    /// Returns no letters: the collation is not available on this system.
    package static func indexLetters(locale identifier: String) -> [String] { [] }
    #endif
}
