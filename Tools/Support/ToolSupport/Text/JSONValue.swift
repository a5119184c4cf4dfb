/// A JSON text in the making, with the members of objects in the order in which they were given.
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
    /// Named values in order. A name that comes again is written with a number behind it, because readers
    /// of JSON keep one of two members with one name and drop the other (RFC 8259, section 4).
    case object([Member])

    /// One member of an object.
    package struct Member: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// Its value.
        package let value: JSONValue

        /// Makes a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// A text, or null.
    package static func string(ifPresent text: String?) -> Self { text.map(JSONValue.string) ?? .null }

    /// An integer of any type that fits.
    package static func count(_ number: some BinaryInteger) -> Self { .integer(Int64(number)) }

    /// The text, indented by two blanks a level and with a line break at its end.
    ///
    /// What would command a terminal is escaped, so that it is safe to look at as well.
    package var text: String {
        var text = ""
        write(into: &text, indentation: "\n")
        return text + "\n"
    }

    private func write(into text: inout String, indentation: String) {
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
            // Compared as Swift compares them: a reader may take the composed and the decomposed é for one.
            var names = Set<String>(minimumCapacity: members.count)
            Self.writeList(members, in: ("{", "}"), into: &text, indentation) { member, text, inner in
                Self.write(Self.newName(member.name, &names), into: &text)
                text += ": "
                member.value.write(into: &text, indentation: inner)
            }
        }
    }

    /// The name or, if it was used, the name with the first number that makes it another.
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
        _ elements: [Element], in brackets: (String, String), into text: inout String, _ indentation: String,
        _ writeElement: (Element, inout String, String) -> Void
    ) {
        text += brackets.0
        let inner = indentation + "  "
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            text += inner
            writeElement(element, &text, inner)
        }
        if !elements.isEmpty { text += indentation }
        text += brackets.1
    }

    /// A JSON text that somebody else wrote with what would command a terminal escaped: it means the same.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            // Those of the first set are between values: in strings they are escaped in any JSON text.
            if scalar.value >= 0x20, TerminalText.isUnsafe(scalar) {
                result += escape(of: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The escape of a scalar that is one unit of UTF-16.
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
    /// A text.
    package init(stringLiteral value: String) { self = .string(value) }
    /// True or false.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Null.
    package init(nilLiteral: ()) { self = .null }
    /// An array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with its members in this order.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
