import ObjectModel

extension RequestCompiler {
    /// Records the tables of the related objects that an application shows with a request's objects, without
    /// reading them in the statement.
    ///
    /// - Throws: ``ObjectStorageError`` for a key path that the model does not have.
    mutating func noteDisplayedTables(
        of request: RequestDescription, _ entity: EntityDescription
    ) throws(ObjectStorageError) {
        for path in request.displayedPaths {
            var current = entity
            let names = try Self.names(of: path, entity: entity)
            for (position, name) in names.enumerated() {
                if let attribute = current.attribute(named: name) {
                    guard position == names.count - 1 else {
                        throw ObjectStorageError(
                            .invalidKeyPath,
                            "The displayed key path “\(path)” cannot be followed: “\(current.name).\(attribute.name)” is an attribute, and nothing can follow it.",
                            entityName: current.name, propertyName: name)
                    }
                    continue
                }
                let relationship = try Self.relationship(name, of: current, path: path)
                if let end = model.linkEnd(of: relationship, in: current) { noteTable(end.table.name) }
                current = try model.requireEntity(named: relationship.destinationEntityName)
                noteTable(current.tableName)
            }
        }
    }
}
