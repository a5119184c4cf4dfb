/// The keys of new objects for the time of one write.
///
/// An object knows its place in the list, so that none of ten thousand has to be hashed.
struct NewObjectKeys: Sequence {
    private let objects: [ManagedObject]
    private let keys: [Int64]

    /// - Parameter keys: As many as there are objects.
    init(_ objects: [ManagedObject] = [], keys: [Int64] = []) {
        self.objects = objects
        self.keys = keys
        for (place, object) in objects.enumerated() { object.placeInSave = UInt32(truncatingIfNeeded: place) }
    }

    /// The key of an object; nil if it is none of these.
    subscript(object: ManagedObject) -> Int64? {
        let place = Int(object.placeInSave)
        // The object may have its place from another list.
        return place < objects.count && objects[place] === object ? keys[place] : nil
    }

    func makeIterator() -> some IteratorProtocol<(ManagedObject, Int64)> { zip(objects, keys).makeIterator() }
}
