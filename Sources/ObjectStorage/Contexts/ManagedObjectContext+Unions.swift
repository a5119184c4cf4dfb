extension ManagedObjectContext {
    /// Fetches objects of several entities as values of a union, in order.
    ///
    /// The rows are read after the keys, so an object may have been changed or deleted in between by another
    /// program; the ``ManagedObject/readError`` of a deleted one says so.
    ///
    /// - Throws: ``ObjectStorageError`` as ``fetch(_:)``; with ``ObjectStorageError/Code/invalidModel`` if
    ///   the union has no case for an object, as for entities without classes.
    /// - Complexity: As ``fetch(_:)``.
    public func fetch<Union: ObjectUnion>(
        _ request: FetchRequest<ManagedObject>, as union: Union.Type
    ) throws(ObjectStorageError) -> [Union] {
        var values: [Union] = []
        for object in try fetch(request) {
            guard let value = Union(object: object) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "\(Union.self) has no case for \(object.objectID), an object of the class \(type(of: object)).",
                    entityName: object.entity.name, objectID: object.objectID)
            }
            values.append(value)
        }
        return values
    }
}
