import Foundation
import ObjectStorage

/// Values as Swift source.
enum SwiftLiteral {
    /// Returns a text as a string literal.
    static func string(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case "\0": literal += "\\0"
            default:
                if scalar.properties.generalCategory == .control
                    || scalar.properties.generalCategory == .format
                    || scalar.properties.generalCategory == .lineSeparator
                    || scalar.properties.generalCategory == .paragraphSeparator
                {
                    literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }

    /// Returns a whole number as a literal, with its digits in groups if there are many.
    static func integer(_ value: Int64) -> String {
        let digits = Array(String(value.magnitude))
        guard digits.count >= 7 else { return String(value) }
        let groups = digits.indices.map { index in
            (index > 0 && (digits.count - index).isMultiple(of: 3) ? "_" : "") + String(digits[index])
        }
        return (value < 0 ? "-" : "") + groups.joined()
    }

    /// Returns a number as a literal, or the name of a number without a literal.
    static func number(_ value: Double) -> String {
        value.isNaN
            ? ".nan" : value == .infinity ? ".infinity" : value == -.infinity ? "-.infinity" : "\(value)"
    }

    /// Returns the default of an attribute as the initial value of its property; nil if it has none, or one
    /// that has no form in Swift.
    static func initialValue(of attribute: AttributeDescription) -> String? {
        switch (attribute.type, attribute.defaultValue) {
        case (.boolean, .integer(let value)): value == 0 ? "false" : "true"
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
            (.integer64, .integer(let value)):
            integer(value)
        case (.double, .real(let value)): number(value)
        case (.float, .real(let value)):
            value.isFinite ? "\(Float(value))" : number(value)
        case (.date, .real(let value)): "Date(timeIntervalSinceReferenceDate: \(number(value)))"
        case (.string, .text(let text)): string(text)
        case (.uri, .text(let text)):
            "URL(string: \(string(text)))\(attribute.isOptional ? "" : "!")"
        case (.decimal, .text(let text)): decimal(text)
        case (.uuid, .blob(let bytes)) where bytes.count == 16:
            "UUID(uuid: (\(bytes.map(String.init).joined(separator: ", "))))"
        default: nil
        }
    }

    /// Returns a decimal without rounding: a literal of Swift passes through a binary number.
    private static func decimal(_ text: String) -> String {
        Int64(text).map { "Decimal(\(integer($0)))" }
            ?? "Decimal(string: \(string(text)))!"
    }

    /// Returns a stored value as an expression of the type `StoredValue`.
    static func stored(_ value: StoredValue) -> String {
        switch value {
        case .null: ".null"
        case .integer(let value): ".integer(\(integer(value)))"
        case .real(let value): ".real(\(number(value)))"
        case .text(let text): ".text(\(string(text)))"
        case .blob(let bytes): ".blob(\(bytes))"
        }
    }

    /// Returns a validation rule as an expression of the type `ValidationRule`.
    static func rule(_ rule: ValidationRule) -> String {
        switch rule {
        case .minimum(let bound): ".minimum(\(stored(bound)))"
        case .maximum(let bound): ".maximum(\(stored(bound)))"
        case .pattern(let pattern): ".pattern(\(string(pattern)))"
        }
    }

    /// Returns the lines that describe an external table, indented for the body of a property.
    static func table(_ table: ExistingTable) -> String {
        var arguments = ["name: \(string(table.name)), primaryKey: \(string(table.primaryKey))"]
        func dictionary<Value>(_ label: String, _ values: [String: Value], _ text: (Value) -> String) {
            guard !values.isEmpty else { return }
            let members = values.sorted { $0.key < $1.key }.map {
                "                \(string($0.key)): \(text($0.value))"
            }
            let end = members.count == 1 ? "" : ","
            arguments.append("\(label): [\n\(members.joined(separator: ",\n"))\(end)\n            ]")
        }
        dictionary("columns", table.columns, string)
        dictionary("forms", table.forms) { ".\($0.rawValue)" }
        dictionary("links", table.links) { link in
            let order = link.orderColumn.map { ", orderColumn: \(string($0))" } ?? ""
            return
                "ExistingLinkTable(\n                    name: \(string(link.name)), ownColumn: \(string(link.ownColumn)), otherColumn: \(string(link.otherColumn))\(order))"
        }
        return "        ExistingTable(\n            \(arguments.joined(separator: ",\n            ")))\n"
    }
}
