/// Objects for which fetches read other values than they had, with the earlier values.
struct ValuesReadAgain {
    /// The earlier values by object, at most as many as ``PreviousRows`` keeps.
    private(set) var values: [ObjectID: [StoredValue]] = [:]
    /// Further objects, whose earlier values are not kept.
    private(set) var objectsWithoutValues: Set<ObjectID> = []

    /// Notes an object, unless it is noted already.
    ///
    /// - Parameter earlier: The values that it had.
    mutating func note(_ objectID: ObjectID, _ earlier: @autoclosure () -> [StoredValue]) {
        guard values[objectID] == nil, !objectsWithoutValues.contains(objectID) else { return }
        if values.count < PreviousRows.maximumCount {
            values[objectID] = earlier()
        } else {
            objectsWithoutValues.insert(objectID)
        }
    }
}
