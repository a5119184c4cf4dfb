import Foundation
package import SectionedFetch

/// The forms of stored values in text, in JSON and on the command line.
package enum ValueText {
    /// Returns the displayed form of a value: `1962`, `2024-03-01T12:00:00Z`, `Artist/12`, `96 bytes`, and
    /// `nil` for no value. The text “nil” and an empty text are in quotes, as in conditions.
    package static func text(_ value: StoredValue, of property: KeyPathProperty) -> String {
        switch (property.kind, value) {
        case (_, .null): return none
        case (.attribute(.boolean), .integer(let number)) where number == 0 || number == 1:
            return number == 1 ? "true" : "false"
        case (.attribute(.date), .real(let seconds)): return dateText(seconds)
        case (.toOne(let destination), .integer(let key)): return "\(destination)/\(key)"
        case (_, .integer(let number)): return String(number)
        case (_, .real(let number)): return String(number)
        case (_, .text(let text)): return shown(text)
        case (.attribute(.uuid), .blob(let bytes)):
            return UUID(storedValue: .blob(bytes))?.uuidString ?? "\(bytes.count) bytes"
        case (_, .blob(let bytes)): return Quantity.count(bytes.count, "byte")
        }
    }

    /// The displayed form of no value.
    package static let none = "nil"

    /// Returns the displayed form of a text: the text itself, or the text in quotes if it is empty, equals
    /// “nil”, or is a quoted form of such a text.
    package static func shown(_ text: String) -> String {
        needsQuotes(text) ? quoted(text) : text
    }

    /// Returns the displayed form of a section's name: that of a text, or of no value.
    package static func title(_ name: String?) -> String { name.map(shown) ?? none }

    /// Returns a text in double quotes, with a backslash before each quote and backslash.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func needsQuotes(_ text: String) -> Bool {
        text.isEmpty || text == none || (unquoted(text).map(needsQuotes) ?? false)
    }

    /// Returns the JSON form of a value: binary data in hexadecimal digits, dates and UUIDs as texts, the key
    /// of a related object as a number.
    package static func json(_ value: StoredValue, of property: KeyPathProperty) -> JSONValue {
        switch (property.kind, value) {
        case (_, .null): return .null
        case (.attribute(.boolean), .integer(let number)) where number == 0 || number == 1:
            return .boolean(number == 1)
        case (.attribute(.date), .real), (.attribute(.uuid), .blob): return .string(text(value, of: property))
        case (_, .integer(let number)): return .integer(number)
        case (_, .real(let number)): return .stored(number)
        case (_, .text(let text)): return .string(text)
        case (_, .blob(let bytes)): return .string(bytes.hexadecimalText)
        }
    }

    /// Returns the text of a date, Boolean value or UUID as it is written in conditions, or any other value
    /// unchanged.
    static func written(_ value: StoredValue, of kind: KeyPathProperty.Kind) -> StoredValue {
        switch (kind, value) {
        case (.attribute(.boolean), .integer(0)): .text("false")
        case (.attribute(.boolean), .integer(1)): .text("true")
        case (.attribute(.date), .real(let seconds)): ISO8601Text.text(seconds).map(StoredValue.text) ?? value
        case (.attribute(.uuid), .blob): UUID(storedValue: value).map { .text($0.uuidString) } ?? value
        default: value
        }
    }

    /// Parses a value of a property from the command line.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidValue`` if the text is not a
    ///   value of the property's type.
    package static func value(_ literal: String, of property: KeyPathProperty) throws(ObjectStorageError)
        -> StoredValue
    {
        if literal == none { return .null }
        return try value(ofText: unquoted(literal) ?? literal, kind: property.kind, path: property.path)
    }

    /// Parses a value of a kind of property from its text without quotes.
    ///
    /// - Parameter path: The key path of the property, for the message.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidValue`` if the text is not a
    ///   value of the kind.
    static func value(
        ofText text: String, kind: KeyPathProperty.Kind, path: String
    ) throws(ObjectStorageError) -> StoredValue {
        let value: StoredValue? =
            switch kind {
            case .attribute(let type): self.value(ofText: text, type)
            case .toOne, .objectID: Int64(text).map(StoredValue.integer)
            }
        guard let value else {
            let type = if case .attribute(let type) = kind { type.rawValue } else { "object key" }
            throw ObjectStorageError(
                .invalidValue,
                "“\(text)” is not a valid value for “\(path)”, which is of type \(type).",
                propertyName: path.split(separator: ".").last.map(String.init))
        }
        return value
    }

    /// Parses a value of an attribute; returns nil for a text that is not a value of the type.
    private static func value(ofText text: String, _ type: AttributeType) -> StoredValue? {
        switch type {
        case .string: .text(text)
        case .integer16, .integer32, .integer64: number(text, amongIntegers: true)
        case .double, .float: number(text, amongIntegers: false)
        case .boolean:
            ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][text]
                .map { $0 ? .integer(1) : .integer(0) }
        case .date: ISO8601Text.seconds(text).map(StoredValue.real)
        case .uuid: UUID(uuidString: text)?.storedValue
        case .decimal, .uri: type.accepts(type.normalized(.text(text))) ? type.normalized(.text(text)) : nil
        case .binaryData, .transformable: bytes(text).map(StoredValue.blob)
        }
    }

    /// Returns the text between double quotes, in which a backslash escapes the next character, or nil for a
    /// text without quotes.
    package static func unquoted(_ literal: String) -> String? {
        let scalars = literal.unicodeScalars
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return nil }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in scalars.dropFirst().dropLast() {
            if scalar == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(scalar)
                isEscaped = false
            }
        }
        return String(text)
    }

    /// Returns the number in a text: the exact value if it is an integer that fits 64 bits, or else the
    /// nearest double.
    ///
    /// - Parameter amongIntegers: Whether the number is compared with integers, so that it must not be
    ///   rounded to one.
    private static func number(_ text: String, amongIntegers: Bool) -> StoredValue? {
        if let integer = WrittenNumber(text)?.integer { return .integer(integer) }
        // `Double.init` also accepts “nan”, “inf” and hexadecimal numbers, which are not part of the syntax.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite, number != 0
        else { return nil }
        // A fraction just below 2⁶³ is rounded to 2⁶³, the first number that is not a 64-bit integer.
        let isWritten = !text.contains { ".eE".contains($0) }
        let isRounded = Int64(exactly: number) != nil || number == 0x1p63 && !isWritten
        return amongIntegers && isRounded ? nil : .real(number)
    }

    /// Returns a date in ISO 8601, or its number of seconds if it is outside the range of that format.
    private static func dateText(_ seconds: Double) -> String {
        ISO8601Text.text(seconds) ?? "\(seconds) s"
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Collection<UInt8> {
    /// The bytes in hexadecimal, with two digits each.
    package var hexadecimalText: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
