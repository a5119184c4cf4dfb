extension PendingChanges {
    /// Returns the error for an object whose unique values another object has, with the values that SQLite's
    /// message names.
    func naming(valuesOf object: ManagedObject, in error: ObjectStorageError) -> ObjectStorageError {
        guard error.code == .duplicateValue, let detail = error.underlying?.message else { return error }
        // “UNIQUE constraint failed: Artist.name, Artist.year”
        let columns = detail.split(separator: ":").last.map { $0.split(separator: ",") } ?? []
        let columnNames = object.entity.mapping?.table.columns
        let names = object.entity.columnPropertyNames.filter { name in
            columns.contains { $0.hasSuffix("." + (columnNames?[name] ?? name)) }
        }
        guard !names.isEmpty else { return error }
        let values = names.map { name in
            "\(name) \((try? object.value(forProperty: name)).map { "\($0)" } ?? "")"
        }
        return error.replacing(
            message:
                "Saving \(object.objectID): another object already has the unique \(names.count == 1 ? "value" : "values") \(values.joined(separator: ", ")). Fetch and change that object, or set a mergePolicy.",
            entityName: object.entity.name, objectID: object.objectID)
    }
}
