import InternalUtilities

extension ManagedObjectModel {
    /// The entities whose rows are in external tables of other programs.
    package var entitiesOfExistingTables: [EntityDescription] {
        hasExistingTables ? entities.filter { $0.mapping != nil } : []
    }

    /// An entity whose table can only be read, with the part of its description that writing does not
    /// support; nil if all tables can be written.
    package var existingPartForReading: (EntityDescription, part: String)? {
        for entity in entitiesOfExistingTables {
            guard let table = entity.existingTable, table.rowRules == nil else { continue }
            if let column = table.entityColumn { return (entity, "the entity column “\(column.name)”") }
            if let order = table.orderColumns.values.min() { return (entity, "the order column “\(order)”") }
            if table.forms.values.contains(.prefixedBytes) { return (entity, "the form prefixedBytes") }
            for link in table.links.values {
                if let order = link.inverseOrderColumn { return (entity, "the order column “\(order)”") }
            }
        }
        for link in linkTables where link.existing != nil && link.name == link.targetTableName {
            guard let entity = entity(named: link.sourceEntityName), entity.rowRules == nil else { continue }
            return (entity, "a column of the table “\(link.name)” as links")
        }
        return nil
    }

    /// Returns whether the library itself must clear or delete the references between objects of two entities
    /// when an object is deleted. This is the case if the rows of either entity are in an external table, in
    /// which the library declares no foreign keys.
    package func isKeptByHand(_ first: String, _ second: String) -> Bool {
        hasExistingTables
            && (entity(named: first)?.mapping != nil || entity(named: second)?.mapping != nil)
    }

    /// Checks the entities' descriptions of external tables, as far as this is possible without the database.
    package func validateExistingTables() throws(ObjectStorageError) {
        for entity in entities {
            guard let table = entity.existingTable else { continue }
            try Self.validate(table, of: entity)
            try validateLinks(table, of: entity)
            guard let parent = entity.parentName.flatMap({ self.entity(named: $0) }) else { continue }
            let other = parent.existingTable
            guard other?.name == table.name, other?.primaryKey == table.primaryKey,
                other?.entityColumn == table.entityColumn
            else {
                throw Self.invalid(
                    "it inherits from “\(parent.name)”, so both must describe the same table, key and entity column.",
                    entity)
            }
        }
        try validateTableNames()
    }

    private static func validate(
        _ table: ExistingTable, of entity: EntityDescription
    ) throws(ObjectStorageError) {
        let lowercased = table.name.lowercased()
        guard !table.name.isEmpty, !lowercased.hasPrefix("sqlite_"), !lowercased.hasPrefix("sc_") else {
            throw invalid(
                "“\(table.name)” cannot be mapped: names that begin with “sqlite_” or “sc_” are reserved.",
                entity)
        }
        for property in table.columns.keys.sorted() where !entity.columnPropertyNames.contains(property) {
            throw invalid(
                "a column is given for “\(property)”, which is not a stored attribute or to-one relationship. "
                    + NearestName.suggestion(for: property, among: entity.columnPropertyNames),
                entity, property)
        }
        for (name, form) in table.forms.sorted(by: { $0.key < $1.key }) {
            guard let attribute = entity.storedAttributes.first(where: { $0.name == name }) else {
                throw invalid(
                    "a form is given for “\(name)”, which is not a stored attribute. "
                        + NearestName.suggestion(for: name, among: entity.storedAttributes.map(\.name)),
                    entity, name)
            }
            guard form.attributeTypes.contains(attribute.type) else {
                throw invalid(
                    "“\(name)” is of type \(attribute.type.rawValue), and the form \(form.rawValue) is for \(form.attributeTypes.map(\.rawValue).joined(separator: " and ")).",
                    entity, name)
            }
        }
        var columns = [(property: "objectID", name: table.primaryKey.lowercased())]
        for property in entity.columnPropertyNames {
            let name = (table.columns[property] ?? property).lowercased()
            if let other = columns.first(where: { $0.name == name }) {
                throw invalid(
                    "“\(property)” and “\(other.property)” both use the column “\(name)”. Remove one of them; the key is available as objectID.",
                    entity, property)
            }
            columns.append((property, name))
        }
        if let ordered = entity.orderedToOneNames.first(where: { table.orderColumns[$0] == nil }) {
            throw invalid(
                "the inverse of “\(ordered)” is ordered, and the table is described without a column for the positions. Give one with orderColumns, or sort by an attribute instead.",
                entity, ordered)
        }
        for name in table.orderColumns.keys.sorted() where !entity.orderedToOneNames.contains(name) {
            throw invalid(
                "a column of positions is given for “\(name)”, which is not a to-one relationship with an ordered inverse. "
                    + NearestName.suggestion(for: name, among: entity.orderedToOneNames),
                entity, name)
        }
        let isInFamily = entity.parentName != nil || entity.hasSubentities || entity.isAbstract
        guard !isInFamily || table.entityColumn != nil else {
            throw invalid(
                "an entity of an external table cannot inherit, be inherited from or be abstract if the table has no column for the entity of a row. Give one with entityColumn, or remove the inheritance.",
                entity)
        }
        if let entityColumn = table.entityColumn {
            let numbers = entity.familyNames.map { entityColumn.numbers[$0] }
            guard !numbers.contains(nil), Set(numbers).count == numbers.count else {
                throw invalid(
                    "the column “\(entityColumn.name)” needs a different number for each of: \(entity.familyNames.joined(separator: ", ")).",
                    entity)
            }
        }
        if let external = entity.externalAttributes.first {
            throw invalid(
                "“\(external.name)” allows external storage, but other programs of an external table would not find large values in the row. Remove allowsExternalStorage.",
                entity, external.name)
        }
        let indexed = entity.attributes.first { $0.isIndexed || $0.isUnique }?.name
        guard indexed == nil, entity.uniquenessConstraints.isEmpty, entity.indexes.isEmpty else {
            throw invalid(
                "\(indexed.map { "“\($0)” is declared as indexed or unique" } ?? "it declares indexes or uniqueness constraints"). "
                    + "Other programs define the indexes and constraints of an external table. Remove the declaration.",
                entity, indexed)
        }
    }

    private func validateLinks(
        _ table: ExistingTable, of entity: EntityDescription
    ) throws(ObjectStorageError) {
        for name in table.links.keys.sorted() {
            guard let relationship = entity.relationship(named: name),
                let end = linkEnd(of: relationship, in: entity)
            else {
                throw Self.invalid(
                    "a link table is given for “\(name)”, which is not a many-to-many relationship. "
                        + NearestName.suggestion(for: name, among: entity.relationships.map(\.name)),
                    entity, name)
            }
            guard end.isForward || end.table.isSymmetric else {
                throw Self.invalid(
                    "“\(name)” and its inverse both describe a link table. Remove one of the two descriptions.",
                    entity,
                    name)
            }
            guard relationship.isOrdered == (end.table.existing?.orderColumn != nil),
                end.table.hasTargetPosition == (end.table.existing?.inverseOrderColumn != nil)
            else {
                throw Self.invalid(
                    "“\(name)” and its inverse must be ordered if, and only if, their link table has an order column for them.",
                    entity, name)
            }
        }
    }

    /// Checks that no two entities share a table, unless they inherit from each other and their descriptions
    /// of the table agree. A relationship may also have its keys in its destination's table.
    private func validateTableNames() throws(ObjectStorageError) {
        var known: [String: String] = [:]
        let links = linkTables.filter { link in
            link.existing == nil || link.name != link.targetTableName || link.hasInverse
        }
        let tables =
            entities.map { (name: $0.tableName, entity: $0, property: String?.none) }
            + links.compactMap { link in
                entity(named: link.sourceEntityName).map { entity in
                    let links = entity.existingTable?.links ?? [:]
                    let property = links.filter { $0.value == link.existing }.keys.min()
                    return (name: link.name, entity: entity, property: property)
                }
            }
        for table in tables {
            let name = table.name.lowercased()
            if let other = known[name] {
                let isShared =
                    table.name == table.entity.tableName
                    && table.entity.sharesTable(withEntityNamed: other)
                if isShared { continue }
                throw Self.invalid(
                    "its table “\(table.name)” is also the table of “\(other)”. Each entity needs its own table; SQLite does not distinguish upper and lower case.",
                    table.entity, table.property)
            }
            known[name] = table.entity.name
        }
    }

    private static func invalid(
        _ message: String, _ entity: EntityDescription, _ property: String? = nil
    ) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "Entity “\(entity.name)”, \(entity.existingTable?.description ?? "own table"): \(message)",
            entityName: entity.name, propertyName: property)
    }
}
