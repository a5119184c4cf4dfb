import ObjectStorage

extension StoreMapping {
    /// Returns the model. Parts that contradict each other, or that a check refuses, are removed until the
    /// rest is a valid model.
    ///
    /// - Parameter check: Checks the tables of a valid model, and throws an error that names the entity.
    /// - Throws: ``ObjectStorageError`` if too many parts contradict each other.
    /// - Complexity: O(*n* · *r*) for *n* properties and *r* removed parts.
    mutating func model(
        _ check: (ManagedObjectModel) throws(ObjectStorageError) -> Void = { _ in }
    ) throws(ObjectStorageError) -> ManagedObjectModel {
        for _ in 0..<Self.maximumRemovals {
            do throws(ObjectStorageError) {
                return try checkedModel(check)
            } catch {
                guard remove(partOf: error) else { throw error }
            }
        }
        return try checkedModel(check)
    }

    private func checkedModel(
        _ check: (ManagedObjectModel) throws(ObjectStorageError) -> Void
    ) throws(ObjectStorageError) -> ManagedObjectModel {
        let model = try ManagedObjectModel(entities: names.compactMap(description))
        try check(model)
        return model
    }

    /// The largest number of parts that are removed. In models that Core Data accepts, none is removed.
    private static let maximumRemovals = 500

    /// Removes the property or the entity that an error names.
    ///
    /// - Returns: Whether anything was removed.
    mutating func remove(partOf error: ObjectStorageError) -> Bool {
        guard let entityName = error.entityName, entities[entityName] != nil else { return false }
        if let property = error.propertyName {
            for owner in lineage(of: entityName) {
                guard entities[owner]?.has(property) == true else { continue }
                remove(property, of: owner, because: error.message)
                return true
            }
        }
        removeEntity(entityName, because: error.message)
        return true
    }

    /// The number of mapped columns and links, for comparing versions of a model.
    var numberOfColumns: Int {
        entities.values.reduce(0) { $0 + $1.columns.count + $1.orderColumns.count + $1.links.count }
    }

    private func description(of name: String) -> EntityDescription? {
        guard let entity = entities[name] else { return nil }
        let table = entity.placement.table
        var columns: [String: String] = [:]
        var orderColumns: [String: String] = [:]
        var forms: [String: ExistingTable.Form] = [:]
        for owner in lineage(of: name).compactMap({ entities[$0] }) {
            let toOne = owner.relationships.filter { !$0.isToMany }
            for property in owner.attributes.map(\.name) + toOne.map(\.name) {
                columns[property] = owner.columns[property]
            }
            for relationship in toOne where isOrdered(inverseOf: relationship) {
                orderColumns[relationship.name] = owner.orderColumns[relationship.name]
            }
            for attribute in owner.attributes
            where owner.externalAttributes.contains(attribute.name) && !attribute.isTransient
                && ExistingTable.Form.prefixedBytes.attributeTypes.contains(attribute.type)
            {
                forms[attribute.name] = .prefixedBytes
            }
        }
        let links = entity.links.filter { link in
            entity.relationships.contains { $0.name == link.key && $0.isToMany }
        }
        var existingTable = ExistingTable(
            name: table.name, primaryKey: table.columns["Z_PK"] ?? "Z_PK", columns: columns, forms: forms,
            links: links, orderColumns: orderColumns, entityColumn: entityColumn(of: entity))
        existingTable.rowRules = rowRules(of: name, columns)
        return EntityDescription(
            name: name, parentName: entity.description.parentName,
            isAbstract: entity.description.isAbstract, attributes: entity.attributes,
            relationships: entity.relationships,
            existingTable: existingTable)
    }

    /// Returns the column of the entity, if the table may have rows of several entities. Rows of entities
    /// that cannot be read are not rows of another entity.
    private func entityColumn(of entity: Entity) -> ExistingTable.EntityColumn? {
        let rootName = entity.placement.rootName
        let members = names.filter { entities[$0]?.placement.rootName == rootName }
        guard inheritedRoots.contains(rootName) || entity.description.isAbstract else { return nil }
        let numbers = members.reduce(into: [String: Int64]()) {
            $0[$1] = entities[$1]?.placement.number
        }
        return ExistingTable.EntityColumn(
            name: entity.placement.table.columns["Z_ENT"] ?? "Z_ENT", numbers: numbers)
    }
}
