extension EntityDescription {
    /// Describes an entity.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes of UTF-8 without control characters and full stops.
    ///   - parentName: The entity whose properties it inherits. Its objects are also objects of that entity.
    ///   - isAbstract: Whether only its sub-entities have objects.
    ///   - attributes: The attributes that the entity declares itself.
    ///   - relationships: The relationships that the entity declares itself.
    ///   - uniquenessConstraints: Lists of names of attributes and to-one relationships.
    ///   - indexes: Lists of names of attributes and to-one relationships.
    ///   - renamingIdentifier: The entity's name in the model version with which existing stores were
    ///     created.
    ///   - objectType: The class of its objects.
    ///   - existingTable: The external table that holds the rows; nil for a table that the store creates.
    public init(
        name: String, parentName: String? = nil, isAbstract: Bool = false,
        attributes: [AttributeDescription], relationships: [RelationshipDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [[String]] = [], renamingIdentifier: String? = nil,
        objectType: ManagedObject.Type = ManagedObject.self, existingTable: ExistingTable? = nil
    ) {
        self.init(
            name: name, parentName: parentName, isAbstract: isAbstract, attributes: attributes,
            relationships: relationships, uniquenessConstraints: uniquenessConstraints, indexes: indexes,
            renamingIdentifier: renamingIdentifier,
            objectClass: objectType == ManagedObject.self ? nil : objectType, existingTable: existingTable)
    }

    /// The class of the objects: `ManagedObject` itself for an entity without a typed class.
    public var objectType: ManagedObject.Type {
        // Only subclasses of `ManagedObject` are ever stored.
        objectClass as? ManagedObject.Type ?? ManagedObject.self
    }
}

extension ManagedObject: EntityClass {}
