/// By which keys objects stand in ordered lists in which they have no place of their own, after they came back
/// under other keys or others of the list did.
struct FormerPlaces {
    /// An object in the order of the inverse of one of its to-one relationships.
    struct Member: Hashable {
        let object: ManagedObject
        let relationshipName: String
    }

    struct Place {
        /// The key by which it stands; nil for the last one that it had.
        var key: Int64?
        /// Whether its place was given to it for that reason, and is none of its own.
        var isGiven = false
    }

    private var places: [Member: Place] = [:]
    /// The keys that objects had when they were deleted last.
    private var lastKeys: [ManagedObject: Int64] = [:]

    /// Whether every object stands by the key that it has.
    var isEmpty: Bool { places.isEmpty }

    /// Notes which key an object had that comes back under another.
    mutating func note(_ key: Int64, of object: ManagedObject) {
        lastKeys[object] = key
        for name in object.entity.orderedToOneNames {
            let member = Member(object: object, relationshipName: name)
            places[member] = Place(key: places[member]?.key ?? key, isGiven: places[member]?.isGiven ?? false)
        }
    }

    /// Notes that an object was given a place where it stood by its key.
    mutating func noteGiven(_ member: Member) {
        let objectID = member.object.objectID
        places[member] = Place(
            key: places[member]?.key ?? (objectID.isTemporary ? nil : objectID.primaryKey), isGiven: true)
    }

    subscript(member: Member) -> Place? {
        get { places[member] }
        set { places[member] = newValue }
    }

    /// Whether an object stands by its key, though it may have been given a place.
    func isByKey(_ member: Member) -> Bool {
        places[member]?.isGiven == true || member.object.position(inOrderOf: member.relationshipName) == nil
    }

    /// The key by which an object stands that has no place of its own.
    func key(of member: Member) -> Int64 {
        let former = places[member].flatMap { $0.key ?? lastKeys[member.object] }
        return former ?? member.object.identityKey.unsavedKey
    }
}

extension ManagedObjectContext {
    /// Gives places to the objects of ordered lists in which those are that an undo or redo brought back, or
    /// led there: where there were none, the keys that they had tell in which order they stood.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects in the lists.
    func place(replayed objects: Set<ManagedObject>, _ undoManager: UndoManager) throws(ObjectStorageError) {
        var lists: Set<ListsWithNewcomers.List> = []
        for object in objects where !object.isDeleted {
            for relationship in object.entity.toOneRelationships
            where object.entity.orderedToOneNames.contains(relationship.name) {
                guard let name = relationship.inverseName,
                    let owner = try object.relatedObject(relationship.name)
                else { continue }
                lists.insert(.init(owner: owner, relationshipName: name))
            }
        }
        for list in lists {
            let relationship = list.owner.entity.relationship(named: list.relationshipName)
            guard let inverse = relationship?.inverseName else { continue }
            let members = try list.owner.relatedObjects(list.relationshipName)
                .map { FormerPlaces.Member(object: $0, relationshipName: inverse) }
            guard members.contains(where: { undoManager.formerPlaces[$0] != nil }) else { continue }
            let byKey = members.filter(undoManager.formerPlaces.isByKey)
                .map { (member: $0, key: undoManager.formerPlaces.key(of: $0)) }
                .sorted { $0.key < $1.key }.map(\.member)
            // Those with places of their own come first.
            let placed = members.filter { !undoManager.formerPlaces.isByKey($0) }
            let current = (placed + byKey).map { $0.object.position(inOrderOf: inverse) }
            guard placed + byKey != members || current.contains(nil) else { continue }
            (placed + byKey).map(\.object).takePlaces(
                inOrderOf: inverse, current: current.prefix(placed.count) + byKey.map { _ in nil })
            for member in byKey { undoManager.formerPlaces.noteGiven(member) }
        }
    }
}
