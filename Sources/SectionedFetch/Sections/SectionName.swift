import Foundation
import ObjectStorage
import SectionCaching

/// The names and index titles of sections, formatted from their keys.
enum SectionName {
    /// Returns the name of a section with this key: the text itself, a number in decimal digits, an ISO 8601
    /// date.
    ///
    /// The name for no value is empty, as is the name for the empty text; they are nevertheless different
    /// sections.
    static func name(of key: StoredValue, expression: KeyExpression, type: AttributeType?) -> String {
        switch key {
        case .null: return ""
        case .text(let text): return text
        case .integer(let number):
            switch expression.function {
            case .calendar(let unit, _): return unit.name(of: number)
            case .range(let ranges): return ranges.name(of: key) ?? String(number)
            default: return String(number)
            }
        case .real(let number):
            if case .range(let ranges) = expression.function { return ranges.name(of: key) ?? String(number) }
            guard type == .date else { return String(number) }
            return ISO8601Text.text(number) ?? "\(number) s"
        case .blob(let bytes):
            if type == .uuid, let uuid = UUID(storedValue: key) { return uuid.uuidString }
            return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// Returns the title of a section in an index bar: the first user-perceived character of its name, in
    /// upper case unless that would be more than one character, as for ß.
    ///
    /// A letter that is a section key is its own title, even with several characters, as in Czech “CH” and in
    /// numbers of strokes.
    static func indexTitle(of name: String, key: SectionKey?) -> String {
        if let key, key.isNested, let names = NestedName(name) {
            return indexTitle(of: names.outer, key: key.parts.first)
        }
        if let key, key.nameExpression == nil, name.count <= longestLetter,
            !key.declaredSections.contains(where: { $0.name == name })
        {
            switch key.expression.function {
            case .firstLetter, .indexLetter: return name
            default: break
            }
        }
        guard let first = name.first else { return "" }
        let upper = String(first).uppercased()
        return upper.count == 1 ? upper : String(first)
    }

    /// The largest number of characters of a letter: “DZS”, “10劃”. Longer names are those of declared
    /// sections.
    private static let longestLetter = 3
}
