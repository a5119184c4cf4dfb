extension RelationshipDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destinationEntityName, inverseName, isToMany, isOptional, isOrdered, deleteRule
        case allowedCount, renamingIdentifier
    }

    /// Reads a relationship: `{"name": "artist", "destinationEntityName": "Artist"}`. A missing key has the
    /// default of ``toOne(_:to:inverse:isOptional:deleteRule:renamingIdentifier:)``.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for a missing name or destination, for an allowed count that is not a list
    ///   of two ascending numbers, and for values of other types.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys, default value: Bool) throws -> Bool {
            try container.decodeIfPresent(Bool.self, forKey: key) ?? value
        }
        let bounds = try container.decodeIfPresent([Int].self, forKey: .allowedCount)
        if let bounds, bounds.count != 2 || bounds[0] > bounds[1] {
            throw DecodingError.dataCorruptedError(
                forKey: .allowedCount, in: container,
                debugDescription: "The allowed count must be a list of the smallest and the largest number.")
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            destinationEntityName: try container.decode(String.self, forKey: .destinationEntityName),
            inverseName: try container.decodeIfPresent(String.self, forKey: .inverseName),
            isToMany: try flag(.isToMany, default: false),
            isOptional: try flag(.isOptional, default: true),
            isOrdered: try flag(.isOrdered, default: false),
            deleteRule: try container.decodeIfPresent(DeleteRule.self, forKey: .deleteRule) ?? .nullify,
            allowedCount: bounds.map { $0[0]...$0[1] },
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier))
    }

    /// Writes the members that differ from their defaults.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(destinationEntityName, forKey: .destinationEntityName)
        try container.encodeIfPresent(inverseName, forKey: .inverseName)
        if isToMany { try container.encode(true, forKey: .isToMany) }
        if !isOptional { try container.encode(false, forKey: .isOptional) }
        if isOrdered { try container.encode(true, forKey: .isOrdered) }
        if deleteRule != .nullify { try container.encode(deleteRule, forKey: .deleteRule) }
        try container.encodeIfPresent(
            allowedCount.map { [$0.lowerBound, $0.upperBound] }, forKey: .allowedCount)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
    }
}
