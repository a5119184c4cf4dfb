extension EntityRuntime {
    /// Makes sure that a batch, which writes one row at a time, can set a relationship.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidRequest`` for one whose inverse
    ///   leads to one object as well, so that the row at the other end, and those of whoever was led to
    ///   before, would have to be written, too.
    func requireOneEnd(ofRelationshipNamed name: String) throws(ObjectStorageError) {
        guard let number = description.toOneRelationships.firstIndex(where: { $0.name == name }),
            let inverse = toOneInverses[number]
        else { return }
        throw ObjectStorageError(
            .invalidRequest,
            "A batch cannot set “\(description.name).\(name)”: its inverse “\(inverse)” leads to one object as well, and both ends have to be written. Set it by objects.",
            entityName: description.name, propertyName: name)
    }
}
