/// The order of the members of ordered lists that have no positions of their own, after objects were restored
/// under other keys.
///
/// Rows without a position are ordered by key. An object that is restored after its deletion was saved has
/// another key. It is therefore ordered by its first key, its *rank*, and the members of its lists are given
/// positions that express this order. Such a position is not part of any change: for an undo, the object has
/// none.
///
/// The order of a list therefore depends only on the values that undo and redo restore, on the objects' own
/// positions, and on ranks, which never change; it does not depend on how often objects were deleted and
/// restored.
struct RestoredOrder {
    /// An object, and the slot that stores its position in an ordered list.
    struct Member: Hashable {
        let object: ManagedObject
        let slot: Int
    }

    /// The order of an object among the members of a list that have no positions of their own.
    struct Rank: Comparable {
        /// The object's first key. If the object was deleted when newer objects, which must follow it, were
        /// saved, this is the first of their keys.
        let key: Int64
        /// The number of the temporary identity of an object that was deleted at that time; the maximum for
        /// other objects.
        var number = UInt64.max

        static func < (first: Self, second: Self) -> Bool {
            (first.key, first.number) < (second.key, second.number)
        }
    }

    private var ranks: [ManagedObject: Rank] = [:]
    private var givenPositions: [Member: Int64] = [:]
    /// The first keys of new objects, with the numbers of their temporary identities at that save, by table
    /// name.
    private var firstKeys: [String: [(number: UInt64, key: Int64)]] = [:]

    /// Whether no object has a rank, so that every object is ordered by its key or position.
    var isEmpty: Bool { ranks.isEmpty }

    /// Records the key that a save assigns to a new object.
    mutating func noteSave(of object: ManagedObject, key: Int64) {
        guard case .temporary(let number) = object.identityKey, !object.entity.orderedToOneNames.isEmpty,
            ranks[object] == nil
        else { return }
        firstKeys[object.entity.tableName, default: []].append((number, key))
    }

    /// Records that an object is about to be restored, under another key than it had or would have had.
    mutating func noteReturn(of object: ManagedObject) {
        guard !object.entity.orderedToOneNames.isEmpty, ranks[object] == nil else { return }
        switch object.identityKey {
        case .permanent(let key): ranks[object] = Rank(key: key)
        case .temporary(let number):
            let newer = firstKeys[object.entity.tableName]?.first { $0.number > number }
            ranks[object] = newer.map { Rank(key: $0.key, number: number) }
        }
    }

    /// Returns whether an object was restored and is ordered by its rank instead of its key.
    func isBack(_ object: ManagedObject) -> Bool { ranks[object] != nil }

    /// Returns the rank of an object, which orders it if it has no position of its own.
    func rank(of object: ManagedObject) -> Rank {
        ranks[object] ?? Rank(key: object.identityKey.unsavedKey)
    }

    /// Records that an object's position was assigned by rank.
    mutating func noteGiven(_ member: Member, _ position: Int64) { givenPositions[member] = position }

    /// Records that an object gets a position of its own, or none.
    ///
    /// - Returns: Whether the current position was assigned by rank.
    mutating func forgetGiven(_ member: Member) -> Bool {
        let wasGiven = isGiven(member)
        givenPositions[member] = nil
        return wasGiven
    }

    /// Returns whether an object's position was assigned by rank and has not been changed since.
    func isGiven(_ member: Member) -> Bool {
        guard let position = givenPositions[member], !member.object.isFault else { return false }
        return member.object.values[member.slot] == .integer(position)
    }
}

extension ManagedObjectContext {
    /// Assigns positions to the members of ordered lists that contain objects which an undo or redo restored
    /// or moved. Members without positions of their own are ordered by rank.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects in the lists.
    func assignPositions(
        toReplayed objects: Set<ManagedObject>, _ undoManager: UndoManager
    ) throws(ObjectStorageError) {
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
            let byKey = members.filter { !$0.hasOwnPosition(inOrderOf: inverse) }
            // If no member was restored or has an assigned position, the order is that of the keys.
            guard
                byKey.contains(where: {
                    undoManager.restoredOrder.isBack($0) || $0.position(inOrderOf: inverse) != nil
                })
            else { continue }
            // Members with positions of their own come first.
            let positioned = members.filter { $0.hasOwnPosition(inOrderOf: inverse) }
            let order = positioned + byKey.sorted(by: undoManager.restoredOrder.rank)
            let positions = order.compactMap { $0.position(inOrderOf: inverse) }
            // A restored object may have a position that another member was given in the meantime.
            guard positions.count < order.count || !zip(positions, positions.dropFirst()).allSatisfy(<)
            else { continue }
            order.assignPositions(
                inOrderOf: inverse,
                current: positioned.map { $0.position(inOrderOf: inverse) } + byKey.map { _ in nil })
            for object in byKey { object.noteGivenPosition(inOrderOf: inverse) }
        }
    }
}

extension [ManagedObject] {
    /// Returns the objects in ascending order of their ranks.
    fileprivate func sorted(by rank: (ManagedObject) -> RestoredOrder.Rank) -> Self {
        map { (object: $0, rank: rank($0)) }.sorted { $0.rank < $1.rank }.map(\.object)
    }
}
