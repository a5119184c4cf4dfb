extension ManagedObjectModel {
    /// Creates a model from classes and the properties that they declare with `@Attribute` and
    /// `@Relationship`.
    ///
    /// The entity of a class inherits from the entity of its superclass if both classes are listed. The
    /// properties of a superclass that is not listed become properties of the class's own entity.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(types: Artwork.self, Artist.self)
    /// ```
    ///
    /// - Parameter types: The classes, in the order that the entities of the model have.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and
    ///   property.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public init(types: ManagedObject.Type...) throws(ObjectStorageError) {
        try self.init(types: types)
    }

    /// Creates a model from an array of classes.
    ///
    /// - Parameter types: The classes, in the order that the entities of the model have.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and
    ///   property.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public init(types: [ManagedObject.Type]) throws(ObjectStorageError) {
        let prototypes = types.map { ManagedObject.prototype(of: $0, recorder: KeyPathRecorder()) }
        try self.init(
            entities: types.indices.map { position in
                let parent = Self.parent(of: types[position], prototypes[position], among: types)
                return EntityDescription(
                    types[position], layout: prototypes[position].runtime.layout,
                    parent: parent.map { types[$0] },
                    inheritedCount: parent.flatMap { prototypes[$0].runtime.layout?.names.count } ?? 0
                ) { inverse, destination in
                    let position = types.firstIndex { $0 == destination }
                    return Self.name(of: inverse, among: position.flatMap { prototypes[$0].runtime.layout })
                }
            })
        for type in types where type.isAbstractEntity {
            guard !entities.contains(where: { $0.parentName == type.entityName }) else { continue }
            throw Self.inheritedAbstractness(type)
        }
    }

    /// Returns the position of the nearest superclass that has an entity in the model as well.
    private static func parent(
        of type: ManagedObject.Type, _ prototype: ManagedObject, among types: [ManagedObject.Type]
    ) -> Int? {
        var position: Int?
        PropertyLayout.forEachSuperclass(of: type, prototype: prototype) { superclass in
            position = types.firstIndex { $0 == superclass }
            return position == nil
        }
        return position
    }

    private static func inheritedAbstractness(_ type: ManagedObject.Type) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "Entity “\(type.entityName)” is abstract, and no class of the model is derived from \(type), so it could never have objects. "
                + "A subclass inherits isAbstractEntity; implement it as `self == Parent.self` in the parent.",
            entityName: type.entityName)
    }

    /// Returns the name of an inverse: that of the only relationship with the declared types, or, if there
    /// are several, the name from the key path.
    static func name(of inverse: DeclaredInverse, among layout: PropertyLayout?) -> String {
        var names: [String] = []
        if let layout {
            for (name, property) in zip(layout.names, layout.properties) {
                if case .relationship(let destination, let isToMany, _, _, _, _) = property,
                    destination == inverse.destination, isToMany == inverse.isToMany
                {
                    names.append(name)
                }
            }
        }
        return names.count == 1 ? names[0] : inverse.name()
    }
}

extension EntityDescription {
    /// Describes the entity that a class declares. The properties of its superclasses come first.
    ///
    /// - Parameter inheritedCount: The number of properties inherited from the parent, which are left out.
    fileprivate init(
        _ type: ManagedObject.Type, layout: PropertyLayout?, parent: ManagedObject.Type?, inheritedCount: Int,
        nameOfInverse: (DeclaredInverse, _ destination: ManagedObject.Type) -> String
    ) {
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        if let layout {
            for position in layout.entityOrder[inheritedCount...] {
                let name = layout.names[position]
                switch layout.properties[position] {
                case .attribute(
                    let type, let isOptional, let options, let defaultValue, let transformerName, let details):
                    attributes.append(
                        AttributeDescription(
                            name: name, type: type, isOptional: isOptional,
                            isIndexed: options.contains(.indexed),
                            isUnique: options.contains(.unique), isTransient: options.contains(.transient),
                            allowsExternalStorage: options.contains(.externalStorage),
                            defaultValue: defaultValue, transformerName: transformerName,
                            rules: details?.rules ?? [], renamingIdentifier: details?.renamingIdentifier,
                            derivation: details?.derivation))
                case .relationship(
                    let destination, let isToMany, let isOrdered, let inverse, let deleteRule, let details):
                    relationships.append(
                        RelationshipDescription(
                            name: name, destinationEntityName: destination.entityName,
                            inverseName: inverse.map { nameOfInverse($0, destination) },
                            isToMany: isToMany, isOptional: details?.isOptional ?? true, isOrdered: isOrdered,
                            deleteRule: deleteRule, allowedCount: details?.allowedCount,
                            renamingIdentifier: details?.renamingIdentifier))
                }
            }
        }
        self.init(
            name: type.entityName, parentName: parent?.entityName, isAbstract: type.isAbstractEntity,
            attributes: attributes, relationships: relationships,
            // A subclass that does not override the property inherits its superclass's identifier.
            renamingIdentifier: type.renamingIdentifier == parent?.renamingIdentifier
                ? nil : type.renamingIdentifier,
            objectType: type,
            existingTable: type.existingTable)
    }
}
