extension ManagedObjectContext {
    /// Fetches objects of several entities as values of a union, in order.
    ///
    /// Rows are read after their keys, so another program may change or delete a row in between. The
    /// ``ManagedObject/readError`` of a deleted object reports this.
    ///
    /// - Parameters:
    ///   - request: The objects to fetch, and their order: a request that was made for the union, for
    ///     example.
    ///   - union: The type of the results, with a case for each class of the objects.
    /// - Throws: ``ObjectStorageError`` as ``fetch(_:)``; with ``ObjectStorageError/Code/invalidModel`` if
    ///   the union has no case for an object, such as an object of an entity without a class.
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
