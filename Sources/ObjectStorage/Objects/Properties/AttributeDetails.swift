/// Properties of an attribute that few attributes need: validation rules and an earlier name.
///
/// ```swift
/// @Attribute(details: .init(rules: [.minimum(0), .maximum(150)])) var age: Int16 = 0
/// @Attribute(details: .init(renamingIdentifier: "label")) var title: String = ""
/// ```
public struct AttributeDetails: Sendable {
    /// The rules that values must satisfy in addition to the type.
    public let rules: [ValidationRule]
    /// The name that the attribute had in an earlier version of the model.
    public let renamingIdentifier: String?

    /// Creates details.
    public init(rules: [ValidationRule] = [], renamingIdentifier: String? = nil) {
        self.rules = rules
        self.renamingIdentifier = renamingIdentifier
    }
}
