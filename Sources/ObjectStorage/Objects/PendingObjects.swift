/// The objects of a context that have unsaved changes, and some that have been changed back, in the order of
/// their first change.
struct PendingObjects {
    private(set) var list: [ManagedObject] = []
    // What finds objects of the list is made of as much of it as there was when it was last asked.
    private var placesByKey: [ObjectID.Key: Int] = [:]
    private var numberWithKeys = 0
    private var placesByObject: [ObjectIdentifier: Int] = [:]
    private var numberWithPlaces = 0

    mutating func append(_ object: ManagedObject) { list.append(object) }

    /// - Complexity: O(*n*) for *n* objects that came after it.
    mutating func remove(_ object: ManagedObject) {
        guard let place = list.lastIndex(where: { $0 === object }) else { return }
        list.remove(at: place)
        if place < numberWithKeys { forgetKeys() }
        if place < numberWithPlaces { (placesByObject, numberWithPlaces) = ([:], 0) }
    }

    /// To be called when the key of one of the objects changed.
    mutating func forgetKeys() { (placesByKey, numberWithKeys) = ([:], 0) }

    /// The object with a temporary key. No two have the same, of whichever entity.
    ///
    /// - Complexity: O(1) on average, and O(*n*) for *n* objects that came since the last time.
    mutating func object(_ key: ObjectID.Key) -> ManagedObject? {
        for place in numberWithKeys..<list.count {
            if case .temporary = list[place].identityKey { placesByKey[list[place].identityKey] = place }
        }
        numberWithKeys = list.count
        return placesByKey[key].map { list[$0] }
    }

    /// Some of the objects in the order of the list.
    ///
    /// - Complexity: O(*m* log *m*) for *m* objects, and O(*n*) for *n* that came to the list since the last
    ///   time.
    mutating func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        guard objects.count > 1 else { return objects }
        for place in numberWithPlaces..<list.count { placesByObject[ObjectIdentifier(list[place])] = place }
        numberWithPlaces = list.count
        return objects.map { (place: placesByObject[ObjectIdentifier($0)] ?? 0, object: $0) }
            .sorted { $0.place < $1.place }.map(\.object)
    }
}
