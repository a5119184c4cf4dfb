/// What the objects of one entity in one context share.
final class EntityRuntime {
    /// The entity.
    let description: EntityDescription
    /// The names of the columns; a position in it is a *slot* of an object's values.
    let columnNames: [String]
    /// Set for prototypes only.
    let recorder: KeyPathRecorder?
    /// The objects of the context by primary key. An object removes itself when it is freed.
    var objects: [Int64: Unmanaged<ManagedObject>] = [:]
    private let places: [String: Int]
    private var storageTable = PropertyStorageTable()

    init(_ description: EntityDescription, recorder: KeyPathRecorder? = nil) {
        self.description = description
        self.recorder = recorder
        columnNames = description.columnNames
        var places: [String: Int] = [:]
        for (slot, name) in columnNames.enumerated() { places[name] = slot }
        for (position, relationship) in description.relationships.enumerated() where relationship.isToMany {
            places[relationship.name] = -1 - position
        }
        self.places = places
    }

    /// The slot of the column called `name`, or −1 − *p* for the to-many relationship at position *p*.
    func place(ofPropertyNamed name: String) -> Int? { places[name] }

    /// The same for the property whose wrapper is stored at `storage`.
    func place(ofStorage storage: AnyKeyPath) -> Int {
        if let place = storageTable.place(of: storage) { return place }
        let name = KeyPathRecorder.propertyName(ofStorage: storage)
        guard let place = places[name] else {
            preconditionFailure(
                "\(description.objectType) has a property “\(name)” that entity “\(description.name)” of the context's model lacks. "
                    + NearestName.suggestion(for: name, among: Array(places.keys)))
        }
        storageTable.insert(storage, place: place)
        return place
    }

    /// The slot of the to-one relationship called `name`.
    func slot(ofToOneNamed name: String) -> Int? { places[name].flatMap { $0 >= 0 ? $0 : nil } }

    /// The object of this context with this key, if it is alive.
    func object(forKey key: Int64) -> ManagedObject? {
        objects[key]?.takeUnretainedValue()
    }
}
