extension ManagedObjectModel {
    /// Makes a model of classes: the properties that they declare with `@Attribute` and `@Relationship`.
    ///
    /// The entity of a class inherits from that of its superclass if both are listed. From a superclass that
    /// is not listed it has the properties as its own.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(types: Artwork.self, Artist.self)
    /// ```
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and
    ///   property.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public init(types: ManagedObject.Type...) throws(ObjectStorageError) {
        try self.init(types: types)
    }

    /// Makes a model of an array of classes.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and
    ///   property.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public init(types: [ManagedObject.Type]) throws(ObjectStorageError) {
        let prototypes = types.map { ManagedObject.prototype(of: $0, recorder: KeyPathRecorder()) }
        try self.init(
            entities: types.indices.map { position in
                let parent = Self.parent(of: types[position], prototypes[position], among: types)
                return EntityDescription(
                    types[position], shape: prototypes[position].runtime.shape,
                    parent: parent.map { types[$0] },
                    inheritedCount: parent.flatMap { prototypes[$0].runtime.shape?.names.count } ?? 0
                ) { inverse, destination in
                    let place = types.firstIndex { $0 == destination }
                    return Self.name(of: inverse, among: place.flatMap { prototypes[$0].runtime.shape })
                }
            })
        for type in types where type.isAbstractEntity {
            guard !entities.contains(where: { $0.parentName == type.entityName }) else { continue }
            throw Self.inheritedAbstractness(type)
        }
    }

    /// The position of the nearest superclass that is an entity of the model as well.
    private static func parent(
        of type: ManagedObject.Type, _ prototype: ManagedObject, among types: [ManagedObject.Type]
    ) -> Int? {
        var place: Int?
        PropertyLayout.forEachSuperclass(of: type, prototype: prototype) { superclass in
            place = types.firstIndex { $0 == superclass }
            return place == nil
        }
        return place
    }

    private static func inheritedAbstractness(_ type: ManagedObject.Type) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "Entity “\(type.entityName)” is abstract, and no class of the model is derived from \(type), so that it could never have objects. "
                + "A subclass inherits isAbstractEntity; let it be `self == Parent.self` in the parent.",
            entityName: type.entityName)
    }

    /// The name of a way back: that of the only relationship with its types, else that which its key path
    /// says.
    private static func name(of inverse: DeclaredInverse, among shape: PropertyLayout?) -> String {
        var names: [String] = []
        if let shape {
            for (name, property) in zip(shape.names, shape.properties) {
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
    /// Describes the entity that a class declares, the properties of its superclasses first.
    ///
    /// - Parameter inheritedCount: How many properties come from the parent, and are left out.
    fileprivate init(
        _ type: ManagedObject.Type, shape: PropertyLayout?, parent: ManagedObject.Type?, inheritedCount: Int,
        nameOfInverse: (DeclaredInverse, _ destination: ManagedObject.Type) -> String
    ) {
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        if let shape {
            for position in inheritedCount..<shape.order.count {
                let place = shape.order[position]
                let name = shape.names[place]
                switch shape.properties[place] {
                case .attribute(
                    let type, let isOptional, let options, let defaultValue, let transformerName, let details):
                    attributes.append(
                        AttributeDescription(
                            name: name, type: type, isOptional: isOptional,
                            isIndexed: options.contains(.indexed),
                            isUnique: options.contains(.unique), isTransient: options.contains(.transient),
                            allowsExternalStorage: options.contains(.externalStorage),
                            defaultValue: defaultValue, transformerName: transformerName,
                            rules: details?.rules ?? [], renamingIdentifier: details?.renamingIdentifier))
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
            // What a superclass says is about itself, and a subclass that says nothing inherits it.
            renamingIdentifier: type.renamingIdentifier == parent?.renamingIdentifier
                ? nil : type.renamingIdentifier,
            objectType: type,
            existingTable: type.existingTable)
    }
}
