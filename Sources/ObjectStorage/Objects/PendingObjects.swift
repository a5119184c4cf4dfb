/// The objects of a context that have unsaved changes, and some whose changes were reverted, in the order of
/// their first change.
struct PendingObjects {
    private(set) var list: [ManagedObject] = []
    // The look-up tables are extended to the end of the list when they are next used.
    private var positionsByKey: [ObjectID.Key: Int] = [:]
    private var numberWithKeys = 0
    private var positionsByObject: [ObjectIdentifier: Int] = [:]
    private var numberWithPositions = 0

    mutating func append(_ object: ManagedObject) { list.append(object) }

    /// Removes an object from the list.
    ///
    /// - Complexity: O(*n*) for *n* objects that were appended after it.
    mutating func remove(_ object: ManagedObject) {
        guard let position = list.lastIndex(where: { $0 === object }) else { return }
        list.remove(at: position)
        if position < numberWithKeys { forgetKeys() }
        if position < numberWithPositions { (positionsByObject, numberWithPositions) = ([:], 0) }
    }

    /// Discards the look-up table of keys. It must be called when the key of one of the objects has changed.
    mutating func forgetKeys() { (positionsByKey, numberWithKeys) = ([:], 0) }

    /// Returns the object with a temporary key. Temporary keys are unique across entities.
    ///
    /// - Complexity: O(1) on average, plus O(*n*) for *n* objects appended since the last call.
    mutating func object(_ key: ObjectID.Key) -> ManagedObject? {
        for position in numberWithKeys..<list.count {
            let key = list[position].identityKey
            if case .temporary = key { positionsByKey[key] = position }
        }
        numberWithKeys = list.count
        return positionsByKey[key].map { list[$0] }
    }

    /// Returns some of the objects, sorted in the order of the list.
    ///
    /// - Complexity: O(*m* log *m*) for *m* objects, plus O(*n*) for *n* objects appended to the list since
    ///   the last call.
    mutating func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        guard objects.count > 1 else { return objects }
        for position in numberWithPositions..<list.count {
            positionsByObject[ObjectIdentifier(list[position])] = position
        }
        numberWithPositions = list.count
        return objects.map { (position: positionsByObject[ObjectIdentifier($0)] ?? 0, object: $0) }
            .sorted { $0.position < $1.position }.map(\.object)
    }
}
