import ObjectStorage

/// The content of a model file before its interpretation.
struct DataModelContents {
    /// The entities in the order of the file; those of a compiled model in the order of their names.
    var entities: [DataModelEntity] = []
    /// The version identifiers of the file.
    var versionIdentifiers: [String] = []
    /// The unsupported parts outside entities.
    var unsupportedParts: [UnsupportedModelPart] = []
}

extension DataModelContents {
    /// Returns the model, and the unsupported parts of the file.
    ///
    /// - Throws: ``ObjectStorageError`` for invalid properties and an inconsistent model.
    func model() throws(ObjectStorageError) -> (ManagedObjectModel, [UnsupportedModelPart]) {
        var parts = unsupportedParts
        var missing: [String: [String]] = [:]
        var unindexable: [String: [String]] = [:]
        let unsupportedDerivations = try self.unsupportedDerivations()
        for entity in entities {
            parts += entity.unsupportedParts
            let unsupported =
                entity.unsupportedAttributes + (unsupportedDerivations[entity.name] ?? [])
            parts += unsupported
            missing[entity.name] = unsupported.compactMap(\.propertyName)
            // `self` and `entity` are the identity and the class of an object, which have indexes anyway.
            unindexable[entity.name] =
                ["self", "entity"]
                + entity.attributes.filter { $0.flag("transient") }.compactMap { $0["name"] }
                + entity.relationships.filter { $0.flag("toMany") }.compactMap { $0["name"] }
        }
        let parents = Dictionary(
            entities.map { ($0.name, $0.element["parentEntity"]) }, uniquingKeysWith: { first, _ in first })
        func names(_ own: [String: [String]], of entity: String) -> Set<String> {
            var names: Set<String> = []
            var visited: Set<String> = []
            var current: String? = entity
            while let name = current, visited.insert(name).inserted {
                names.formUnion(own[name] ?? [])
                current = parents[name] ?? nil
            }
            return names
        }
        var descriptions: [EntityDescription] = []
        for entity in entities {
            descriptions.append(
                try entity.description(
                    without: names(missing, of: entity.name),
                    unindexable: names(unindexable, of: entity.name), &parts))
        }
        return (try ManagedObjectModel(entities: descriptions), parts)
    }

    /// Returns the derived attributes whose derivations do not fit the model, by entity.
    ///
    /// They are found with a model without derived attributes, because a derivation follows relationships to
    /// other entities.
    private func unsupportedDerivations() throws(ObjectStorageError) -> [String: [UnsupportedModelPart]] {
        guard entities.contains(where: { $0.hasDerivations }) else { return [:] }
        var plain = self
        var derived: [String: [AttributeDescription]] = [:]
        for index in entities.indices {
            derived[entities[index].name] = try plain.entities[index].removeDerivedAttributes()
        }
        let model = try plain.model().0
        return entities.reduce(into: [:]) { parts, entity in
            parts[entity.name] = (derived[entity.name] ?? []).compactMap {
                entity.unsupportedDerivation(of: $0, in: model)
            }
        }
    }
}
