extension PreviousRows {
    /// Adds the change of an object, which has its new values already.
    ///
    /// - Parameter before: The values that the object showed.
    mutating func append(_ before: [StoredValue], of object: ManagedObject) {
        let after = object.isDeleted || object.isFault ? nil : object.values
        append(
            PreviousRow(before, changedTo: after, readEpoch: object.readEpoch), of: object.objectID)
    }
}
