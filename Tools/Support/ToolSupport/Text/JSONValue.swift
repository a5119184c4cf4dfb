/// A JSON value to be written as text, with the members of objects in the given order.
package enum JSONValue: Hashable, Sendable {
    /// No value.
    case null
    /// True or false.
    case boolean(Bool)
    /// A number without a fraction.
    case integer(Int64)
    /// A number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Named values in order. A repeated name is written with a number after it, because many readers of JSON
    /// keep only one of two members with the same name (RFC 8259, section 4).
    case object([Member])

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The name of the member.
        package let name: String
        /// The value of the member.
        package let value: JSONValue

        /// Creates a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Returns a text, or null for nil.
    package static func string(ifPresent text: String?) -> Self { text.map(JSONValue.string) ?? .null }

    /// Returns an integer, which must fit an `Int64`.
    package static func count(_ number: some BinaryInteger) -> Self { .integer(Int64(number)) }

    /// Returns a number of a store: the text `inf` or `-inf` for an infinite one, which JSON lacks and null
    /// would not distinguish from no value.
    package static func stored(_ number: Double) -> Self {
        number.isFinite ? .number(number) : .string(String(number))
    }

    /// The JSON text, indented by two spaces for each level and with a line break at its end.
    ///
    /// Characters that a terminal would interpret as commands are escaped.
    package var text: String {
        var text = ""
        write(into: &text, indentation: "\n")
        return text + "\n"
    }

    /// The JSON text on one line, without spaces and without a line break at its end.
    package var line: String {
        var text = ""
        write(into: &text, indentation: nil)
        return text
    }

    private func write(into text: inout String, indentation: String?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        // JSON has no infinity and no not-a-number (RFC 8259, section 6).
        case .number(let value): text += value.isFinite ? String(value) : "null"
        case .string(let value): Self.write(value, into: &text)
        case .array(let values):
            Self.writeList(values, in: ("[", "]"), into: &text, indentation) { value, text, inner in
                value.write(into: &text, indentation: inner)
            }
        case .object(let members):
            // Compared by canonical equivalence: a reader may treat the composed and the decomposed é as
            // equal.
            var names = Set<String>(minimumCapacity: members.count)
            Self.writeList(members, in: ("{", "}"), into: &text, indentation) { member, text, inner in
                Self.write(Self.newName(member.name, &names), into: &text)
                text += indentation == nil ? ":" : ": "
                member.value.write(into: &text, indentation: inner)
            }
        }
    }

    /// Returns the name, or the name with the first number that makes it unique if it is already used.
    private static func newName(_ name: String, _ names: inout Set<String>) -> String {
        var result = name
        var number = 1
        while !names.insert(result).inserted {
            number += 1
            result = "\(name) \(number)"
        }
        return result
    }

    private static func writeList<Element>(
        _ elements: [Element], in brackets: (String, String), into text: inout String, _ indentation: String?,
        _ writeElement: (Element, inout String, String?) -> Void
    ) {
        text += brackets.0
        let inner = indentation.map { $0 + "  " }
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            text += inner ?? ""
            writeElement(element, &text, inner)
        }
        if !elements.isEmpty { text += indentation ?? "" }
        text += brackets.1
    }

    /// Returns an equivalent of a JSON text in which characters that a terminal would interpret as commands
    /// are escaped.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            // Unescaped characters below 0x20 are white space between values; strings cannot contain them.
            if scalar.value >= 0x20, TerminalText.isUnsafe(scalar) {
                result += escape(of: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the escape sequence of a scalar that is one UTF-16 code unit.
    private static func escape(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where TerminalText.isUnsafe(scalar): text += escape(of: scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Creates a Boolean value.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates null.
    package init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object with its members in the given order.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
