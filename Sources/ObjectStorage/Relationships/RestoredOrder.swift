/// In which order objects stand in ordered lists in which they have no places of their own, after they came
/// back under other keys or others of the list did.
///
/// Rows without a place stand by their keys. An object that comes back after its deletion was saved has
/// another key, so it stands by the first one that it had, and the objects of its lists are given places that
/// say so. Such a place belongs to no change: to an undo the object has none.
///
/// The order of a list therefore depends only on what undo and redo put back, the places of its objects' own,
/// and on ranks, which never change; not on how often the objects went and came.
struct RestoredOrder {
    /// An object in the order of which one of its slots keeps the place.
    struct Member: Hashable {
        let object: ManagedObject
        let slot: Int
    }

    /// Where an object stands among those of a list that have no places of their own.
    struct Rank: Comparable {
        /// The first key that it had. Of an object that was gone when newer ones were saved, which are to
        /// stand behind it, the first of their keys.
        let key: Int64
        /// The number of such an object's temporary identity.
        var number = UInt64.max

        static func < (first: Self, second: Self) -> Bool {
            (first.key, first.number) < (second.key, second.number)
        }
    }

    private var ranks: [ManagedObject: Rank] = [:]
    private var givenPlaces: [Member: Int64] = [:]
    /// The first keys of new objects with the numbers of their temporary identities, as they were saved, by
    /// the names of their tables.
    private var firstKeys: [String: [(number: UInt64, key: Int64)]] = [:]

    /// Whether every object stands by the key or the place that it has.
    var isEmpty: Bool { ranks.isEmpty }

    /// Notes which key a new object gets.
    mutating func noteSave(of object: ManagedObject, key: Int64) {
        guard case .temporary(let number) = object.identityKey, !object.entity.orderedToOneNames.isEmpty,
            ranks[object] == nil
        else { return }
        firstKeys[object.entity.tableName, default: []].append((number, key))
    }

    /// Notes that an object is about to come back, which will have another key than it would have had.
    mutating func noteReturn(of object: ManagedObject) {
        guard !object.entity.orderedToOneNames.isEmpty, ranks[object] == nil else { return }
        switch object.identityKey {
        case .permanent(let key): ranks[object] = Rank(key: key)
        case .temporary(let number):
            let newer = firstKeys[object.entity.tableName]?.first { $0.number > number }
            ranks[object] = newer.map { Rank(key: $0.key, number: number) }
        }
    }

    /// Whether an object came back to stand elsewhere than by the key that it has.
    func isBack(_ object: ManagedObject) -> Bool { ranks[object] != nil }

    /// Where an object stands if it has no place of its own.
    func rank(of object: ManagedObject) -> Rank {
        ranks[object] ?? Rank(key: object.identityKey.unsavedKey)
    }

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
    /// led there: where they have none of their own, their ranks tell in which order they stand.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects in the lists.
    func place(replayed objects: Set<ManagedObject>, _ undoManager: UndoManager) throws(ObjectStorageError) {
        var lists: Set<UnpositionedMembers.List> = []
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
                    undoManager.restoredOrder.isBack($0) || $0.position(inOrderOf: inverse) != nil
                })
            else { continue }
            // Those with places of their own come first.
            let placed = members.filter { $0.hasPlaceOfItsOwn(inOrderOf: inverse) }
            let order = placed + byKey.sorted(by: undoManager.restoredOrder.rank)
            let places = order.compactMap { $0.position(inOrderOf: inverse) }
            // One that was away may come back with the place that another was given meanwhile.
            guard places.count < order.count || !zip(places, places.dropFirst()).allSatisfy(<) else {
                continue
            }
            order.takePlaces(
                inOrderOf: inverse,
                current: placed.map { $0.position(inOrderOf: inverse) } + byKey.map { _ in nil })
            for object in byKey { object.notePlaceGiven(inOrderOf: inverse) }
        }
    }
}

extension [ManagedObject] {
    /// The objects by ascending ranks.
    fileprivate func sorted(by rank: (ManagedObject) -> RestoredOrder.Rank) -> Self {
        map { (object: $0, rank: rank($0)) }.sorted { $0.rank < $1.rank }.map(\.object)
    }
}
