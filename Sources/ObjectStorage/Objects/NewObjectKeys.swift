/// The primary keys of new objects during one write.
///
/// Each object stores its position in the list, so that a look-up does not hash it; a write may have ten
/// thousand new objects.
struct NewObjectKeys: Sequence {
    private let objects: [ManagedObject]
    private var keys: [Int64]

    /// Creates a list of objects with their keys.
    ///
    /// - Parameter keys: The keys, in the order of the objects.
    init(_ objects: [ManagedObject] = [], keys: [Int64] = []) {
        self.objects = objects
        self.keys = keys
        for (position, object) in objects.enumerated() {
            object.positionInSave = UInt32(truncatingIfNeeded: position)
        }
    }

    /// The key of an object; nil if the object is not in the list.
    subscript(object: ManagedObject) -> Int64? {
        let position = Int(object.positionInSave)
        // The position may come from another list.
        return position < objects.count && objects[position] === object ? keys[position] : nil
    }

    /// Gives an object of the list another key.
    mutating func replaceKey(of object: ManagedObject, by key: Int64) {
        let position = Int(object.positionInSave)
        if position < objects.count, objects[position] === object { keys[position] = key }
    }

    func makeIterator() -> some IteratorProtocol<(ManagedObject, Int64)> { zip(objects, keys).makeIterator() }
}
