#if canImport(_FoundationICU)
import _FoundationICU
#endif

/// What an order says of letters.
extension LocalizedOrder {
    /// The primary weights of a text: the part of its key in which letters differ that people tell apart, but
    /// not their marks, case and width. Texts whose weights begin with the same bytes stand together.
    ///
    /// No weight begins another (Unicode Technical Standard #10, section 9.1), and none has a byte below 2,
    /// which ends them (ICU's user guide, "Sort Key Features").
    func weights(of text: String) -> [UInt8] { Array(key(of: text).prefix { $0 > 1 }) }

    #if canImport(_FoundationICU)
    /// The greatest first byte of the weights of what stands before all letters: digits, which are the last
    /// of that (Unicode Technical Standard #35, part 5, "Collation Reordering").
    var lastBeforeLetters: UInt8 {
        // Numbers of usual digits, which are compared by their value, others, and those that are no digits.
        ["9", "⑨", "௲", "፼", "𐄳"].compactMap { weights(of: $0).first }.max() ?? 0
    }

    /// Whether letters come in another order than that of all languages, or two letters count as one.
    var isTailored: Bool {
        var length: Int32 = 0
        guard let collator else { return false }
        _ = swift_ucol_getRules(collator, &length)
        return length > 0
    }

    /// The letters that the people of a locale expect in an index, some of which are two or three for ICU:
    /// “CH” in Czech.
    static func indexLetters(locale identifier: String) -> [String] {
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
            // A length of zero stands for a range of characters.
            if length >= 2, length <= units.count {
                letters.append(String(decoding: units[..<Int(length)], as: UTF16.self))
            } else if length == 0, first <= last {
                letters += (first...last).compactMap { Unicode.Scalar(UInt32($0)).map { String($0) } }
            }
        }
        return letters
    }
    #else
    /// The greatest first byte of what stands before all letters, which are folded here.
    var lastBeforeLetters: UInt8 { UInt8(ascii: "a") - 1 }

    /// Whether letters come in another order than that of all languages, or two letters count as one.
    var isTailored: Bool { false }

    /// The letters that the people of a locale expect in an index: not told here.
    static func indexLetters(locale identifier: String) -> [String] { [] }
    #endif
}
