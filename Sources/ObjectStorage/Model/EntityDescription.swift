/// The shape of one kind of object: its attributes and relationships.
///
/// An entity is one SQLite table of the same name, with `objectID INTEGER PRIMARY KEY` and a column for each
/// attribute and to-one relationship.
public struct EntityDescription: Sendable {
    /// The name, also of the SQLite table.
    public let name: String
    /// The attributes in the order of declaration.
    public let attributes: [AttributeDescription]
    /// The relationships in the order of declaration.
    public let relationships: [RelationshipDescription]
    /// The class of its objects: `ManagedObject` itself for an entity without a typed class.
    public let objectType: ManagedObject.Type

    /// Describes an entity.
    public init(
        name: String, attributes: [AttributeDescription], relationships: [RelationshipDescription] = [],
        objectType: ManagedObject.Type = ManagedObject.self
    ) {
        self.name = name
        self.attributes = attributes
        self.relationships = relationships
        self.objectType = objectType
    }

    /// The to-one relationships, each of which is a column.
    public var toOneRelationships: [RelationshipDescription] { relationships.filter { !$0.isToMany } }

    /// The attribute called `name`, if there is one.
    public func attribute(named name: String) -> AttributeDescription? {
        attributes.first { $0.name == name }
    }

    /// The relationship called `name`, if there is one.
    public func relationship(named name: String) -> RelationshipDescription? {
        relationships.first { $0.name == name }
    }

    /// The names of all columns but the primary key: attributes, then to-one relationships.
    package var columnNames: [String] { attributes.map(\.name) + toOneRelationships.map(\.name) }

    /// The error for a property that does not exist, with the nearest name.
    func unknownProperty(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            .unknownProperty,
            "Entity “\(self.name)” has no property “\(name)”. "
                + NearestName.suggestion(for: name, among: attributes.map(\.name) + relationships.map(\.name)),
            entityName: self.name, propertyName: name)
    }
}

extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey { case name, attributes, relationships }

    /// Reads an entity; its objects are plain `ManagedObject`s, because a class has no stable name on disk.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            attributes: try container.decode([AttributeDescription].self, forKey: .attributes),
            relationships: try container.decode([RelationshipDescription].self, forKey: .relationships))
    }

    /// Writes all but the class.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(attributes, forKey: .attributes)
        try container.encode(relationships, forKey: .relationships)
    }
}
