/// One attribute of an entity: its name, type and rules.
public struct AttributeDescription: Hashable, Sendable {
    /// The name, also the name of the SQLite column.
    public let name: String
    /// What values it takes.
    public let type: AttributeType
    /// Whether it may have no value.
    public let isOptional: Bool
    /// Whether an SQLite index is kept over it.
    public let isIndexed: Bool
    /// Whether no two objects may have the same value; several may have none. Implies an index.
    public let isUnique: Bool
    /// Whether it lives in memory alone: an object has it, its row does not.
    public let isTransient: Bool
    /// Whether large values are kept beside the rows, and read when an object is asked for them.
    public let allowsExternalStorage: Bool
    /// The value of a new object, or nil.
    public let defaultValue: StoredValue
    /// The name of the transformer that makes bytes of a transformable attribute's values; nil for other
    /// attributes.
    public let transformerName: String?
    /// What values must fulfil beside having the type.
    public let rules: [ValidationRule]
    /// The name that the attribute had in an earlier version of the model, if that was another.
    public let renamingIdentifier: String?

    /// Describes an attribute.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes of UTF-8 without control characters and full stops.
    ///   - allowsExternalStorage: For bytes: whether values of 16 KiB and more are kept out of the row.
    ///   - defaultValue: The value of a new object, which its type must accept.
    ///   - transformerName: For a transformable attribute: the ``AttributeTransformer/name``.
    ///   - renamingIdentifier: The attribute's name in the model that existing stores were made with.
    public init(
        name: String, type: AttributeType, isOptional: Bool = false, isIndexed: Bool = false,
        isUnique: Bool = false, isTransient: Bool = false, allowsExternalStorage: Bool = false,
        defaultValue: StoredValue = .null,
        transformerName: String? = nil, rules: [ValidationRule] = [], renamingIdentifier: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.isTransient = isTransient
        self.allowsExternalStorage = allowsExternalStorage
        self.defaultValue = defaultValue
        self.transformerName = transformerName
        self.rules = rules
        self.renamingIdentifier = renamingIdentifier
    }
}
