import Foundation
import ObjectStorage

/// An attribute of a compiled model.
struct ArchivedAttribute {
    private let name: String
    private let entityName: String
    private let value: ArchivedValue

    /// Creates an attribute from its archived description.
    init(name: String, of entityName: String, _ value: ArchivedValue) {
        self.name = name
        self.entityName = entityName
        self.value = value
    }

    /// The names of the types by the numbers of `NSAttributeType`, which Apple documents.
    private static let types: [Int64: String] = [
        0: "Undefined", 100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal",
        500: "Double", 600: "Float", 700: "String", 800: "Boolean", 900: "Date", 1000: "Binary",
        1100: "UUID", 1200: "URI", 1800: "Transformable", 2000: "Object ID", 2100: "Composite",
    ]

    /// Returns the attribute in the vocabulary of Apple's XML.
    ///
    /// - Parameter parts: Receives the parts that the library does not support.
    func element(_ parts: inout [UnsupportedModelPart]) -> DataModelEntity.Element {
        var texts = ["name": name]
        let type = value["NSAttributeType"]?.integer ?? 0
        texts["attributeType"] = Self.types[type] ?? "number \(type)"
        for (key, text) in [
            ("NSIsOptional", "optional"), ("NSIsTransient", "transient"), ("NSIsIndexed", "indexed"),
        ] where value[key]?.isTrue == true {
            texts[text] = "YES"
        }
        let flags = value["NSFlagsKey"]?.integer ?? 0
        if flags & 4 != 0 { texts["allowsExternalBinaryDataStorage"] = "YES" }
        if flags & 16 != 0 { parts.append(.preservedValue(entityName, name, line: nil)) }
        if flags & ~20 != 0 { parts.append(.unknown("the flags \(flags & ~20)", entityName, name, nil)) }
        texts["valueTransformerName"] = value["NSValueTransformerName"]?.text
        if type == 1800 { texts["customClassName"] = value["NSAttributeValueClassName"]?.text }
        if let former = value["NSRenamingIdentifier"]?.text, former != name { texts["elementID"] = former }
        if let derivation = value["NSDerivationExpression"] {
            texts["derivationExpression"] = ArchivedExpression.text(of: derivation)
            if let filter = value["NSFilteringPredicate"] {
                texts["derivationFilter"] = ArchivedExpression.text(of: filter)
            }
        }
        if let value = value["NSDefaultValue"] {
            if let (key, text) = defaultText(value) {
                texts[key] = text
            } else {
                parts.append(
                    .defaultValue(
                        name, of: entityName, value.className.map { "of the class \($0)" } ?? "of bytes"))
            }
        }
        for predicate in value["NSValidationPredicates"]?.items ?? [] {
            add(predicate, to: &texts, &parts, depth: 0)
        }
        return DataModelEntity.Element(attributes: texts, line: nil)
    }

    /// Returns the default as a text of Apple's XML with the name of the XML attribute.
    private func defaultText(_ value: ArchivedValue) -> (String, String)? {
        switch value.object {
        case .text(let text): return ("defaultValueString", text)
        case .boolean(let flag): return ("defaultValueString", flag ? "YES" : "NO")
        case .integer(let number):
            return self.value["NSAttributeType"]?.integer == 800
                ? ("defaultValueString", number == 0 ? "NO" : "YES")
                : ("defaultValueString", String(number))
        case .real(let number): return ("defaultValueString", String(number))
        case .date(let seconds): return ("defaultDateTimeInterval", String(seconds))
        default: break
        }
        if let text = value.text { return ("defaultValueString", text) }
        switch value.className {
        case "NSDate":
            switch value["NS.time"]?.object {
            case .real(let seconds): return ("defaultDateTimeInterval", String(seconds))
            case .integer(let seconds): return ("defaultDateTimeInterval", String(seconds))
            default: return nil
            }
        case "NSUUID":
            guard case .data(let bytes)? = value["NS.uuidbytes"]?.object, bytes.count == 16 else {
                return nil
            }
            let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
                String(Array(digits)[range])
            }
            return ("defaultValueString", parts.joined(separator: "-"))
        case "NSURL": return value["NS.relative"]?.text.map { ("defaultValueString", $0) }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            return decimalText(value).map { ("defaultValueString", $0) }
        default: return nil
        }
    }

    /// Returns a decimal number as text: its mantissa is stored as up to eight digits in base 65,536.
    private func decimalText(_ value: ArchivedValue) -> String? {
        guard case .data(let bytes)? = value["NS.mantissa"]?.object, bytes.count <= 16,
            let exponent = value["NS.exponent"]?.integer, -128...127 ~= exponent
        else { return nil }
        // 1 denotes little-endian byte order.
        let isLittle = value["NS.mantissa.bo"]?.integer ?? 1 == 1
        let length = min(Int(clamping: value["NS.length"]?.integer ?? 8), bytes.count / 2)
        guard length >= 0 else { return nil }
        var digits = [0]
        for index in (0..<length).reversed() {
            let pair = (Int(bytes[2 * index]), Int(bytes[2 * index + 1]))
            var carry = isLittle ? pair.0 | pair.1 << 8 : pair.0 << 8 | pair.1
            for position in digits.indices {
                carry += digits[position] << 16
                digits[position] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        let sign = value["NS.negative"]?.isTrue == true ? "-" : ""
        return sign + digits.reversed().map(String.init).joined() + (exponent == 0 ? "" : "e\(exponent)")
    }

    /// Adds a validation predicate as a bound or a pattern, or notes it as unsupported.
    private func add(
        _ predicate: ArchivedValue, to texts: inout [String: String], _ parts: inout [UnsupportedModelPart],
        depth: Int
    ) {
        if predicate.className == "NSCompoundPredicate", depth < 4,
            predicate["NSCompoundPredicateType"]?.integer == 1
        {
            let subpredicates = predicate["NSSubpredicates"]?.items ?? []
            for part in subpredicates.prefix(16) { add(part, to: &texts, &parts, depth: depth + 1) }
            if subpredicates.count <= 16 { return }
        }
        if let (key, text) = rule(predicate), texts[key] == nil {
            texts[key] = text
        } else {
            parts.append(.validationPredicate(ArchivedExpression.text(of: predicate), name, of: entityName))
        }
    }

    /// Returns the XML attribute that expresses a predicate, with its text.
    private func rule(_ predicate: ArchivedValue) -> (String, String)? {
        guard predicate.className == "NSComparisonPredicate",
            let operation = predicate["NSPredicateOperator"],
            operation["NSModifier"]?.integer ?? 0 == 0, operation["NSOptions"]?.integer ?? 0 == 0,
            let constant = predicate["NSRightExpression"]?["NSConstantValue"],
            let left = predicate["NSLeftExpression"]
        else { return nil }
        let type = value["NSAttributeType"]?.integer ?? 0
        let subject = ArchivedExpression.text(of: left)
        let isText = type == 700 || type == 1200
        // The bounds of a text apply to its length.
        guard subject == (isText && operation["NSOperatorType"]?.integer != 6 ? "length" : "SELF") else {
            return nil
        }
        guard let (key, text) = defaultText(constant) else { return nil }
        let isDate = key == "defaultDateTimeInterval"
        switch operation["NSOperatorType"]?.integer {
        case 1: return (isDate ? "maxDateTimeInterval" : "maxValueString", text)
        case 3: return (isDate ? "minDateTimeInterval" : "minValueString", text)
        case 6: return isText ? ("regularExpressionString", text) : nil
        default: return nil
        }
    }
}
