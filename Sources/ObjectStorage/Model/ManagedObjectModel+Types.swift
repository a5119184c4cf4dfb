extension ManagedObjectModel {
    /// Makes a model of classes: the properties that they declare with `@Attribute` and `@Relationship`.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(types: Artwork.self, Artist.self)
    /// ```
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and property.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public init(types: ManagedObject.Type...) throws(ObjectStorageError) {
        try self.init(types: types)
    }

    /// Makes a model of an array of classes.
    public init(types: [ManagedObject.Type]) throws(ObjectStorageError) {
        try self.init(entities: types.map { EntityDescription(declaredBy: $0) })
    }
}

extension EntityDescription {
    /// Describes the entity that a class declares, the properties of its superclasses first.
    init(declaredBy type: ManagedObject.Type) {
        let prototype = ManagedObject.prototype(of: type, recorder: KeyPathRecorder())
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        if let shape = prototype.runtime.shape {
            for place in shape.order {
                let name = shape.names[place]
                switch shape.properties[place] {
                case .attribute(let type, let isOptional, let options, let defaultValue):
                    attributes.append(
                        AttributeDescription(
                            name: name, type: type, isOptional: isOptional,
                            isIndexed: options.contains(.indexed),
                            isUnique: options.contains(.unique), defaultValue: defaultValue))
                case .relationship(let destination, let isToMany, let inverse, let deleteRule):
                    relationships.append(
                        isToMany
                            ? .toMany(
                                name, to: destination.entityName, inverse: inverse?(), deleteRule: deleteRule)
                            : .toOne(
                                name, to: destination.entityName, inverse: inverse?(), deleteRule: deleteRule)
                    )
                }
            }
        }
        self.init(
            name: type.entityName, attributes: attributes, relationships: relationships, objectType: type)
    }
}
