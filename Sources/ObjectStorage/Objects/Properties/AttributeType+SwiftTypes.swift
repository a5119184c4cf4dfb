import Foundation

extension AttributeType {
    /// Returns whether values of a Swift type are stored as this type.
    ///
    /// The conformance look-up is slow at launch, so the usual types are compared directly.
    func isType<Value>(of type: Value.Type) -> Bool {
        let isUsual =
            switch self {
            case .string: type == String.self || type == String?.self
            case .integer16: type == Int16.self || type == Int16?.self
            case .integer32: type == Int32.self || type == Int32?.self
            case .integer64: type == Int.self || type == Int?.self || type == Int64.self
            case .double: type == Double.self || type == Double?.self
            case .boolean: type == Bool.self || type == Bool?.self
            case .date: type == Date.self || type == Date?.self
            default: false
            }
        return isUsual || (type as? any AttributeValue.Type)?.attributeType == self
    }
}
