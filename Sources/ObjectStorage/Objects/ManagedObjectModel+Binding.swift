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
    /// indexes, uniqueness and validation rules, where the class states none. Objects of an entity without a
    /// class of its own are of the class of the nearest entity that it inherits from.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a class that does
    ///   not fit, with the class, the property and the difference.
    /// - Complexity: O(*n*) in the number of properties. A prototype of each class is made.
    public func binding(_ classes: [ManagedObject.Type]) throws(ObjectStorageError) -> ManagedObjectModel {
        let bindings = classes.map(ClassBinding.init)
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
        // Last, so that the error for a wrong class is the difference itself.
        for binding in bindings { try binding.checkDestinations(among: bindings) }
        return try ManagedObjectModel(
            entities: entities.map { entity in
                let lineage = [entity.name] + (entity.hierarchy?.ancestorNames ?? [])
                let type = lineage.lazy.compactMap { name in
                    bindings.first { $0.type.entityName == name }?.type
                }.first
                return entity.withoutInheritance.with(objectType: type)
            })
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
