extension ManagedObjectModel {
    /// Makes a model of classes: the properties that they declare with `@Attribute` and `@Relationship`.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(types: Artwork.self, Artist.self)
    /// ```
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and property.
    /// - Complexity: O(*n*) in the number of properties. Each class is looked at by reflection once a call.
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
        let prototype = type.init(ManagedObject.Seed(prototypeOf: type, recorder: KeyPathRecorder()))
        var mirrors: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: prototype)
        while let level = mirror, level.subjectType != ManagedObject.self {
            mirrors.append(level)
            mirror = level.superclassMirror
        }
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        for child in mirrors.reversed().flatMap(\.children) {
            guard let label = child.label, label.hasPrefix("_"),
                let declaration = child.value as? any PropertyDeclaration
            else { continue }
            switch declaration.property(named: String(label.dropFirst())) {
            case .attribute(let attribute): attributes.append(attribute)
            case .relationship(let relationship): relationships.append(relationship)
            }
        }
        self.init(
            name: type.entityName, attributes: attributes, relationships: relationships, objectType: type)
    }
}

/// A property wrapper that declares a property of an entity.
private protocol PropertyDeclaration {
    func property(named name: String) -> DeclaredProperty
}

private enum DeclaredProperty {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
}

extension Attribute: PropertyDeclaration {
    fileprivate func property(named name: String) -> DeclaredProperty {
        .attribute(
            AttributeDescription(
                name: name, type: Value.attributeType, isOptional: Value.isOptional,
                isIndexed: options.contains(.indexed), isUnique: options.contains(.unique),
                defaultValue: initialValue?.storedValue ?? .null))
    }
}

extension Relationship: PropertyDeclaration {
    fileprivate func property(named name: String) -> DeclaredProperty {
        let destination = Value.Destination.entityName
        let inverseName = inverse.map { ManagedObject.propertyPath(of: $0) }
        if Value.isToMany {
            return .relationship(
                .toMany(name, to: destination, inverse: inverseName, deleteRule: deleteRule))
        }
        return .relationship(.toOne(name, to: destination, inverse: inverseName, deleteRule: deleteRule))
    }
}
