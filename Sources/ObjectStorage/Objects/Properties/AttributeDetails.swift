/// Properties of an attribute that few attributes need: validation rules, an earlier name and a derivation.
///
/// ```swift
/// @Attribute(details: .init(rules: [.minimum(0), .maximum(150)])) var age: Int16 = 0
/// @Attribute(details: .init(renamingIdentifier: "label")) var title: String = ""
/// @Attribute(.indexed, details: .init(derivation: "canonical:(title)")) var searchTitle: String?
/// ```
public struct AttributeDetails: Sendable {
    /// The rules that values must satisfy in addition to the type.
    public let rules: [ValidationRule]
    /// The name that the attribute had in an earlier version of the model.
    public let renamingIdentifier: String?
    /// The rule by which the store computes the value; nil for an attribute that the program sets.
    public let derivation: AttributeDerivation?

    /// Creates details.
    ///
    /// - Parameters:
    ///   - rules: The rules that values must satisfy in addition to the type. A save checks them.
    ///   - renamingIdentifier: The name that the attribute had in an earlier version of the model; nil if it
    ///     kept its name.
    ///   - derivation: The rule by which the store computes the value whenever an object is saved. A value
    ///     that the program sets is replaced.
    public init(
        rules: [ValidationRule] = [], renamingIdentifier: String? = nil,
        derivation: AttributeDerivation? = nil
    ) {
        self.rules = rules
        self.renamingIdentifier = renamingIdentifier
        self.derivation = derivation
    }
}
