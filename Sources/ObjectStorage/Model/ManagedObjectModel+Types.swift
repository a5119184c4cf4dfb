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
        let prototypes = types.map { ManagedObject.prototype(of: $0, recorder: KeyPathRecorder()) }
        try self.init(
            entities: types.indices.map { position in
                EntityDescription(types[position], shape: prototypes[position].runtime.shape) {
                    inverse, destination in
                    let place = types.firstIndex { $0 == destination }
                    return Self.name(of: inverse, among: place.flatMap { prototypes[$0].runtime.shape })
                }
            })
    }

    /// The name of a way back: that of the only relationship with its types, else that which its key path says.
    private static func name(of inverse: DeclaredInverse, among shape: ClassShape?) -> String {
        var names: [String] = []
        if let shape {
            for (name, property) in zip(shape.names, shape.properties) {
                if case .relationship(let destination, let isToMany, _, _, _) = property,
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
    fileprivate init(
        _ type: ManagedObject.Type, shape: ClassShape?,
        nameOfInverse: (DeclaredInverse, _ destination: ManagedObject.Type) -> String
    ) {
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        if let shape {
            for place in shape.order {
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
                case .relationship(let destination, let isToMany, let isOrdered, let inverse, let deleteRule):
                    let inverse = inverse.map { nameOfInverse($0, destination) }
                    relationships.append(
                        isToMany
                            ? .toMany(
                                name, to: destination.entityName, inverse: inverse, isOrdered: isOrdered,
                                deleteRule: deleteRule)
                            : .toOne(
                                name, to: destination.entityName, inverse: inverse, deleteRule: deleteRule))
                }
            }
        }
        self.init(
            name: type.entityName, attributes: attributes, relationships: relationships, objectType: type,
            existingTable: type.existingTable)
    }
}
