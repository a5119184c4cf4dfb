import InternalUtilities

extension ManagedObjectModel {
    /// Returns the model with classes for the objects of some of its entities, which were described by a file
    /// or by a store.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(contentsOf: file).binding([Song.self, Artist.self])
    /// ```
    ///
    /// A class belongs to the entity with its ``ManagedObject/entityName`` and must fit it: the entity has
    /// each property of the class, with the same type, optionality, default, transformer, destination and
    /// inverse. The model decides about everything else: properties without a Swift name, delete rules,
    /// indexes, uniqueness and validation rules, where the class states none. Objects of an entity for which
    /// no class is passed are of the class of the nearest entity that it inherits from. An entity that
    /// already has a separate class keeps it, unless another one is passed.
    ///
    /// - Parameter classes: The classes. No two may have the same entity.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a class that does
    ///   not fit, with the class, the property and the difference.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public func binding(_ classes: [ManagedObject.Type]) throws(ObjectStorageError) -> ManagedObjectModel {
        try binding(classes, isForReading: false)
    }

    /// Returns the model with classes for the objects of some of its entities, as ``binding(_:)`` does.
    ///
    /// - Parameter isForReading: Whether objects are only read. The defaults, rules and derivations of a
    ///   class then need not be those of its entity.
    package func binding(
        _ classes: [ManagedObject.Type], isForReading: Bool
    ) throws(ObjectStorageError) -> ManagedObjectModel {
        let bindings = classes.map { ClassBinding($0, isForReading: isForReading) }
        for (position, binding) in bindings.enumerated() {
            let name = binding.type.entityName
            guard let entity = entity(named: name) else {
                throw binding.misfit(
                    "the model has no entity “\(name)”. "
                        + NearestName.suggestion(for: name, among: entities.map(\.name)))
            }
            if let other = bindings[..<position].first(where: { $0.type.entityName == name }) {
                throw binding.misfit("\(other.type) has the same entity “\(name)”. Pass one of them")
            }
            try binding.check(entity, among: bindings)
        }
        // Destinations come last, so that the error for a wrong class names its difference from the entity.
        for binding in bindings { try binding.checkDestinations(among: bindings) }
        return try ManagedObjectModel(
            entities: entities.map { entity in
                entity.withoutInheritance.with(objectType: nearestType(of: entity, among: bindings))
            })
    }

    /// Returns the class of an entity, or of the nearest one that it inherits from: one of those that are
    /// bound, or the one that it has. Nil if none of them has a class.
    private func nearestType(
        of entity: EntityDescription, among bindings: [ClassBinding]
    ) -> ManagedObject.Type? {
        for name in [entity.name] + (entity.hierarchy?.ancestorNames ?? []) {
            if let binding = bindings.first(where: { $0.type.entityName == name }) { return binding.type }
            if let type = self.entity(named: name).flatMap({ ownType(of: $0) }) { return type }
        }
        return nil
    }

    /// Returns the class of an entity; nil if it has none, or inherits that of its parent.
    private func ownType(of entity: EntityDescription) -> ManagedObject.Type? {
        let type = entity.objectType
        let parent = entity.parentName.flatMap { self.entity(named: $0) }
        let inherited = parent?.objectType ?? ManagedObject.self
        return type == ManagedObject.self || type == inherited ? nil : type
    }
}

extension EntityDescription {
    /// Returns the entity as it was declared, with another class; nil keeps its class.
    fileprivate func with(objectType: ManagedObject.Type?) -> Self {
        Self(
            name: name, parentName: parentName, isAbstract: isAbstract, attributes: attributes,
            relationships: relationships, uniquenessConstraints: uniquenessConstraints, indexes: indexes,
            renamingIdentifier: renamingIdentifier, objectClass: objectType ?? objectClass,
            existingTable: existingTable)
    }
}
