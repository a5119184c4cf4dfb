extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, parentName, isAbstract, attributes, relationships, uniquenessConstraints, indexes
        case renamingIdentifier, existingTable
    }

    /// Reads an entity. Its objects are plain `ManagedObject`s, because a class has no stable name on disk.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for a missing name, and for values of other types.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Decodable>(_ key: CodingKeys) throws -> [Element] {
            try container.decodeIfPresent([Element].self, forKey: key) ?? []
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            parentName: try container.decodeIfPresent(String.self, forKey: .parentName),
            isAbstract: try container.decodeIfPresent(Bool.self, forKey: .isAbstract) ?? false,
            attributes: try list(.attributes), relationships: try list(.relationships),
            uniquenessConstraints: try list(.uniquenessConstraints), indexes: try list(.indexes),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            objectClass: nil,
            existingTable: try container.decodeIfPresent(ExistingTable.self, forKey: .existingTable))
    }

    /// Writes everything except the class and the inherited properties.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(parentName, forKey: .parentName)
        if isAbstract { try container.encode(true, forKey: .isAbstract) }
        try container.encode(Array(ownAttributes), forKey: .attributes)
        if !ownRelationships.isEmpty {
            try container.encode(Array(ownRelationships), forKey: .relationships)
        }
        if !uniquenessConstraints.isEmpty {
            try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
        }
        if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(existingTable, forKey: .existingTable)
    }
}
