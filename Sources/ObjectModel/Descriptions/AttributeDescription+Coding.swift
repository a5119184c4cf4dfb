extension AttributeDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, type, isOptional, isIndexed, isUnique, isTransient, allowsExternalStorage, defaultValue
        case transformerName, rules, renamingIdentifier, derivation
    }

    /// Reads an attribute: `{"name": "title", "type": "string"}`. A missing key means false, nil or empty.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for a missing name or type, and for values of other types.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool {
            try container.decodeIfPresent(Bool.self, forKey: key) ?? false
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            type: try container.decode(AttributeType.self, forKey: .type),
            isOptional: try flag(.isOptional), isIndexed: try flag(.isIndexed), isUnique: try flag(.isUnique),
            isTransient: try flag(.isTransient),
            allowsExternalStorage: try flag(.allowsExternalStorage),
            defaultValue: try container.decodeIfPresent(StoredValue.self, forKey: .defaultValue) ?? .null,
            transformerName: try container.decodeIfPresent(String.self, forKey: .transformerName),
            rules: try container.decodeIfPresent([ValidationRule].self, forKey: .rules) ?? [],
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            derivation: try container.decodeIfPresent(AttributeDerivation.self, forKey: .derivation))
    }

    /// Writes the members that are not false, nil or empty.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        for (key, flag) in [
            (CodingKeys.isOptional, isOptional), (.isIndexed, isIndexed), (.isUnique, isUnique),
            (.isTransient, isTransient), (.allowsExternalStorage, allowsExternalStorage),
        ] where flag {
            try container.encode(flag, forKey: key)
        }
        if !defaultValue.isNull { try container.encode(defaultValue, forKey: .defaultValue) }
        try container.encodeIfPresent(transformerName, forKey: .transformerName)
        if !rules.isEmpty { try container.encode(rules, forKey: .rules) }
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(derivation, forKey: .derivation)
    }
}
