/// One attribute of an entity: its name, type and rules.
public struct AttributeDescription: Hashable, Sendable {
    /// The name, also the name of the SQLite column.
    public let name: String
    /// The type of the values.
    public let type: AttributeType
    /// Whether the attribute may have no value.
    public let isOptional: Bool
    /// Whether the attribute has an SQLite index.
    public let isIndexed: Bool
    /// Whether every object must have a different value; any number of objects may have none. Implies an
    /// index.
    public let isUnique: Bool
    /// Whether the value exists in memory only: an object has it, its row does not.
    public let isTransient: Bool
    /// Whether large values are stored outside the row and read only when the property is read.
    public let allowsExternalStorage: Bool
    /// The value of a new object; null for none.
    public let defaultValue: StoredValue
    /// The name of the transformer that encodes the values of a transformable attribute; nil for other
    /// attributes.
    public let transformerName: String?
    /// The conditions that a value must fulfil in addition to having the type.
    public let rules: [ValidationRule]
    /// The attribute's name in an earlier version of the model, if it was a different one.
    public let renamingIdentifier: String?
    /// The rule by which the store computes the value; nil for an attribute that the program sets.
    public let derivation: AttributeDerivation?

    /// Describes an attribute.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes of UTF-8 without control characters and full stops.
    ///   - type: The type of the values.
    ///   - isOptional: Whether the attribute may have no value. A derived attribute always may.
    ///   - isIndexed: Whether the store has an SQLite index on the attribute.
    ///   - isUnique: Whether every object must have a different value. Any number of objects may have none.
    ///   - isTransient: Whether the value exists in memory only.
    ///   - allowsExternalStorage: For bytes: whether values of 16 KiB and more are stored outside the row.
    ///   - defaultValue: The value of a new object, which its type must accept; null for none.
    ///   - transformerName: For a transformable attribute: the ``AttributeTransformer/name``.
    ///   - rules: The conditions that a value must fulfil in addition to having the type. A derived attribute
    ///     ignores them.
    ///   - renamingIdentifier: The attribute's name in the model with which existing stores were made; nil if
    ///     it is unchanged.
    ///   - derivation: The rule by which the store computes the value. A derived attribute is optional and
    ///     has no validation rules, because an object gets the value when it is saved.
    public init(
        name: String, type: AttributeType, isOptional: Bool = false, isIndexed: Bool = false,
        isUnique: Bool = false, isTransient: Bool = false, allowsExternalStorage: Bool = false,
        defaultValue: StoredValue = .null,
        transformerName: String? = nil, rules: [ValidationRule] = [], renamingIdentifier: String? = nil,
        derivation: AttributeDerivation? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional || derivation != nil
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.isTransient = isTransient
        self.allowsExternalStorage = allowsExternalStorage
        self.defaultValue = defaultValue
        self.transformerName = transformerName
        self.rules = derivation == nil ? rules : []
        self.renamingIdentifier = renamingIdentifier
        self.derivation = derivation
    }
}
