import Foundation
import SectionedFetch
import ToolSupport

/// The forms of values in exported data, which `library-import` reads as equal values.
enum ExportText {
    /// Returns the text of a value; nil for no value.
    static func text(_ value: StoredValue, of property: KeyPathProperty) -> String? {
        switch (property.kind, value) {
        case (_, .null): nil
        case (_, .text(let text)): text
        case (.attribute(.float), .real(let number)): Float(number).description
        case (.attribute(.uuid), .blob(let bytes)) where bytes.count == 16:
            ValueText.text(value, of: property)
        case (_, .blob(let bytes)): Data(bytes).base64EncodedString()
        case (.attribute(.boolean), _), (.attribute(.date), _): ValueText.text(value, of: property)
        case (_, .integer(let number)): String(number)
        case (_, .real(let number)): String(number)
        }
    }

    /// Returns the JSON form of a value: numbers and Boolean values as such, other values as texts.
    static func json(_ value: StoredValue, of property: KeyPathProperty) -> JSONValue {
        switch (property.kind, value) {
        case (.attribute(.boolean), .integer(let number)) where number == 0 || number == 1:
            return .boolean(number == 1)
        case (.attribute(.date), _): break
        case (_, .integer(let number)): return .integer(number)
        case (.attribute(.float), .real): break
        case (_, .real(let number)): return .stored(number)
        default: break
        }
        return .string(ifPresent: text(value, of: property))
    }
}
