extension EntityRuntime {
    /// Throws an error if a batch, which writes one row at a time, cannot set a relationship.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidRequest`` for a one-to-one
    ///   relationship: the row at the other end, and the previous partners of both, would have to be written
    ///   as well.
    func requireOneEnd(ofRelationshipNamed name: String) throws(ObjectStorageError) {
        guard let number = description.toOneRelationships.firstIndex(where: { $0.name == name }),
            let inverse = toOneInverses[number]
        else { return }
        throw ObjectStorageError(
            .invalidRequest,
            "A batch cannot set “\(description.name).\(name)”: its inverse “\(inverse)” is also to-one, so both ends must be written. Set the relationship of objects in a context instead.",
            entityName: description.name, propertyName: name)
    }
}
