/// The marks in the numbers of a column.
struct NumberForm: Equatable, Sendable {
    /// The number 1234.5 in this form, or 1234 if the form has no decimal mark.
    let example: String
    private let decimalMark: [UInt8]
    private let groupMark: [UInt8]

    /// Determines the marks in an example; nil if the text is not an example.
    init?(example: String) {
        guard let digits = example.firstRange(of: "234"), example.hasPrefix("1") else { return nil }
        let group = example[example.index(after: example.startIndex)..<digits.lowerBound]
        let end = example[digits.upperBound...]
        guard end.isEmpty || end.count == 2 && end.hasSuffix("5") else { return nil }
        let mark = end.dropLast()
        guard group.count <= 1, group != mark || group.isEmpty,
            (group + mark).allSatisfy({ ".,' \u{A0}\u{202F}’_".contains($0) })
        else { return nil }
        self.example = example
        decimalMark = Array(mark.utf8)
        groupMark = Array(group.utf8)
    }

    /// The forms that numbers commonly have, besides that of the attribute's type.
    static let common = ["1234,5", "1.234,5", "1,234.5", "1 234,5", "1\u{A0}234,5", "1'234.5"]
        .compactMap(NumberForm.init(example:))

    /// Returns the text without group marks, and with a point as the decimal mark; nil if the marks are at
    /// other positions.
    ///
    /// Either all groups of three digits are separated, or none.
    func plain(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var plain: [UInt8] = []
        var position = 0
        if let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            plain.append(sign)
            position = 1
        }
        var groupSize = 0
        var hasGroups = false
        func has(_ mark: [UInt8]) -> Bool {
            !mark.isEmpty && text.count - position >= mark.count
                && mark.indices.allSatisfy { text[position + $0] == mark[$0] }
        }
        while position < text.count {
            let byte = text[position]
            if byte >= 0x30, byte <= 0x39 {
                plain.append(byte)
                groupSize += 1
                position += 1
            } else if has(groupMark), hasGroups ? groupSize == 3 : (1...3).contains(groupSize) {
                hasGroups = true
                groupSize = 0
                position += groupMark.count
            } else if has(decimalMark), groupSize > 0 {
                position += decimalMark.count
                guard position < text.count else { return nil }
                plain.append(UInt8(ascii: "."))
                let fraction = text[position...]
                guard fraction.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
                plain += fraction
                position = text.count
            } else {
                return nil
            }
        }
        return groupSize == 0 || hasGroups && groupSize != 3 ? nil : plain
    }
}

extension NumberForm: WrittenForm {
    static func refusal(of text: String) -> String {
        "“\(text)” does not show the number 1234.5: write 1.234,5 or 1234,5"
    }

    init?(text: String) { self.init(example: text) }

    var text: String { example }
}
