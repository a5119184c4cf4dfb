/// In which order objects stand in ordered lists in which they have no places of their own, after they came
/// back under other keys or others of the list did.
///
/// Rows without a place stand by their keys. An object that comes back after its deletion was saved has
/// another key, so it stands by the first one that it had, and the objects of its lists are given places that
/// say so. Such a place belongs to no change: to an undo the object has none.
///
/// The order of a list therefore depends only on what undo and redo put back, the places of its objects' own,
/// and on first keys, which never change; not on how often the objects went and came.
struct FormerPlaces {
    /// An object in the order of which one of its slots keeps the place.
    struct Member: Hashable {
        let object: ManagedObject
        let slot: Int
    }

    private var firstKeys: [ManagedObject: Int64] = [:]
    private var givenPlaces: [Member: Int64] = [:]

    /// Whether every object stands by the key or the place that it has.
    var isEmpty: Bool { firstKeys.isEmpty }

    /// Notes which key an object had that comes back under another.
    mutating func note(_ key: Int64, of object: ManagedObject) {
        if firstKeys[object] == nil { firstKeys[object] = key }
    }

    /// Whether an object came back under another key than its first.
    func isBack(_ object: ManagedObject) -> Bool { firstKeys[object] != nil }

    /// The key by which an object stands where it has no place of its own.
    func key(of object: ManagedObject) -> Int64 { firstKeys[object] ?? object.identityKey.unsavedKey }

    /// Notes that the place which an object has was given to it because it stands by a key.
    mutating func noteGiven(_ member: Member, _ place: Int64) { givenPlaces[member] = place }

    /// Notes that an object is to have a place of its own, or none.
    ///
    /// - Returns: Whether it had been given the one that it has.
    mutating func forgetGiven(_ member: Member) -> Bool {
        let wasGiven = isGiven(member)
        givenPlaces[member] = nil
        return wasGiven
    }

    /// Whether the place that an object has was given to it; somebody else may have set another since.
    func isGiven(_ member: Member) -> Bool {
        guard let place = givenPlaces[member], !member.object.isFault else { return false }
        return member.object.values[member.slot] == .integer(place)
    }
}

extension ManagedObjectContext {
    /// Gives places to the objects of ordered lists in which those are that an undo or redo brought back, or
    /// led there: where they have none of their own, their first keys tell in which order they stand.
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
            let byKey = members.filter { !$0.hasPlaceOfItsOwn(inOrderOf: inverse) }
            // If none came back and none was given a place, the keys of the rows are their order.
            guard
                byKey.contains(where: {
                    undoManager.formerPlaces.isBack($0) || $0.position(inOrderOf: inverse) != nil
                })
            else { continue }
            // Those with places of their own come first.
            let placed = members.filter { $0.hasPlaceOfItsOwn(inOrderOf: inverse) }
            let order = placed + byKey.sorted(by: undoManager.formerPlaces.key)
            guard order != members || byKey.contains(where: { $0.position(inOrderOf: inverse) == nil })
            else { continue }
            order.takePlaces(
                inOrderOf: inverse,
                current: placed.map { $0.position(inOrderOf: inverse) } + byKey.map { _ in nil })
            for object in byKey { object.notePlaceGiven(inOrderOf: inverse) }
        }
    }
}

extension [ManagedObject] {
    /// The objects by ascending keys.
    fileprivate func sorted(by key: (ManagedObject) -> Int64) -> Self {
        map { (object: $0, key: key($0)) }.sorted { $0.key < $1.key }.map(\.object)
    }
}
