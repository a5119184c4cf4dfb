/// The check of an attribute's values by a save. Small, because a save calls it for every value.
package struct ValueCheck {
    private let type: AttributeType
    private let isOptional: Bool
    private let allowsExternalStorage: Bool
    /// Whether the attribute also has rules.
    package let hasRules: Bool

    /// Creates the check for an attribute.
    package init(_ attribute: AttributeDescription) {
        type = attribute.type
        isOptional = attribute.isOptional
        allowsExternalStorage = attribute.allowsExternalStorage
        hasRules = !attribute.rules.isEmpty
    }

    /// Returns whether a row may have a value: one of the type, the number of a value that is stored outside
    /// the row, or null for an optional attribute.
    package func accepts(_ value: StoredValue) -> Bool {
        switch value {
        case .null: isOptional
        case .integer where allowsExternalStorage: true
        default: type.accepts(value)
        }
    }

    /// Returns whether a value may be in the row itself and no rule needs to be evaluated: a quick answer for
    /// most values.
    package func acceptsInline(_ value: StoredValue) -> Bool {
        guard !hasRules else { return false }
        return value.isNull ? isOptional : type.accepts(value)
    }
}
