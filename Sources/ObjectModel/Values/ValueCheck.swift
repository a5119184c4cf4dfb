/// What a save checks of each value of an attribute. Small, because it does so very often.
struct ValueCheck {
    private let type: AttributeType
    private let isOptional: Bool
    private let allowsExternalStorage: Bool
    /// Whether there are rules to be fulfilled besides.
    let hasRules: Bool

    init(_ attribute: AttributeDescription) {
        type = attribute.type
        isOptional = attribute.isOptional
        allowsExternalStorage = attribute.allowsExternalStorage
        hasRules = !attribute.rules.isEmpty
    }

    /// Whether a row may have a value: one of the type, the number of one that is kept out of the row, or
    /// none where that is allowed.
    func accepts(_ value: StoredValue) -> Bool {
        switch value {
        case .null: isOptional
        case .integer where allowsExternalStorage: true
        default: type.accepts(value)
        }
    }

    /// Whether a value is one that may be in the row itself, and that no rule needs to be asked about: a quick
    /// answer for most values.
    func acceptsInline(_ value: StoredValue) -> Bool {
        guard !hasRules else { return false }
        return value.isNull ? isOptional : type.accepts(value)
    }
}
