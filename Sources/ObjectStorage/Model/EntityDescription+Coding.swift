extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, attributes, relationships, uniquenessConstraints, indexes, renamingIdentifier
        case existingTable
    }

    /// Reads an entity; its objects are plain `ManagedObject`s, because a class has no stable name on disk.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Decodable>(_ key: CodingKeys) throws -> [Element] {
            try container.decodeIfPresent([Element].self, forKey: key) ?? []
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            attributes: try list(.attributes), relationships: try list(.relationships),
            uniquenessConstraints: try list(.uniquenessConstraints), indexes: try list(.indexes),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            existingTable: try container.decodeIfPresent(ExistingTable.self, forKey: .existingTable))
    }

    /// Writes all but the class.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(attributes, forKey: .attributes)
        if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
        if !uniquenessConstraints.isEmpty {
            try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
        }
        if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(existingTable, forKey: .existingTable)
    }
}
