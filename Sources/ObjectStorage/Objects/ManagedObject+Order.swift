/// An object's place in a list with an order that is kept in a column: the one in which the inverse of a
/// to-one relationship has it.
extension ManagedObject {
    /// The place in the order of the inverse of the to-one relationship called `name`; nil for none.
    func position(inOrderOf name: String) -> Int64? {
        guard loadIfNeeded(), let slot = runtime.slot(ofOrderOf: name),
            case .integer(let position) = values[slot]
        else { return nil }
        return position
    }

    /// Sets the place in the order of the inverse of the to-one relationship called `name`.
    func set(position: Int64, inOrderOf name: String) {
        guard let slot = runtime.slot(ofOrderOf: name) else { return }
        // Also where it is the same as one that an undo gave it.
        forgetPlaceGiven(slot: slot)
        set(.integer(position), slot: slot)
    }

    /// Whether the object has a place in the order of the inverse of the to-one relationship called `name`
    /// that an undo did not give it.
    func hasPlaceOfItsOwn(inOrderOf name: String) -> Bool {
        guard position(inOrderOf: name) != nil, let slot = runtime.slot(ofOrderOf: name) else {
            return false
        }
        let undoManager = managedObjectContext?.undoManager
        return undoManager?.restoredOrder.isGiven(.init(object: self, slot: slot)) != true
    }

    /// Notes that the place in the order of the inverse of the to-one relationship called `name` was given to
    /// the object by an undo.
    func notePlaceGiven(inOrderOf name: String) {
        guard let slot = runtime.slot(ofOrderOf: name), let place = position(inOrderOf: name) else { return }
        managedObjectContext?.undoManager?.restoredOrder.noteGiven(.init(object: self, slot: slot), place)
    }

    /// Notes, if a slot has a place that an undo gave to the object, that it gets one of its own, or none.
    ///
    /// - Returns: Whether it has. Then what undoes the change is kept: the object had no place.
    @discardableResult
    func forgetPlaceGiven(slot: Int) -> Bool {
        guard let undoManager = managedObjectContext?.undoManager, !undoManager.restoredOrder.isEmpty,
            loadIfNeeded(), undoManager.restoredOrder.forgetGiven(.init(object: self, slot: slot))
        else { return false }
        undoManager.record(.value(self, slot: slot, .null, reference: nil))
        return true
    }

    /// Notes that the to-one relationship with a slot leads to a list in which the object has no place, if it
    /// does.
    func noteUnpositionedMember(slot: Int) {
        let place = slot - entity.storedAttributes.count
        guard !entity.orderedToOneNames.isEmpty, entity.toOneRelationships.indices.contains(place),
            let orderSlot = runtime.slot(ofOrderOf: runtime.slotNames[slot])
        else { return }
        guard values[orderSlot] == .null,
            let owner = relatedObject(slot: slot), let inverse = entity.toOneRelationships[place].inverseName
        else { return }
        managedObjectContext?.noteUnpositionedMember(self, in: owner, through: inverse)
    }

    /// Gives the objects of an ordered relationship places in the order in which they are shown, if their
    /// rows would not have it without, or an undo would not put them in that order again.
    ///
    /// - Parameter all: Whether they are to have places in any case.
    func positionNewMembers(
        through relationship: RelationshipDescription, all: Bool
    ) throws(ObjectStorageError) {
        guard let inverse = relationship.inverseName else { return }
        let objects = try relatedObjects(relationship.name)
        let positions = objects.map { $0.position(inOrderOf: inverse) }
        let isInOrder =
            zip(objects, positions).filter { $1 == nil }.map(\.0).areInOrderOfKeys
            && objects.filter { !$0.hasPlaceOfItsOwn(inOrderOf: inverse) }.areInOrderOfRanks
        guard all || !isInOrder else { return }
        objects.takePlaces(inOrderOf: inverse, current: positions)
    }
}

extension [ManagedObject] {
    /// Gives the objects places in their order, in that of the inverse of the to-one relationship called
    /// `name`.
    ///
    /// - Parameter current: The places that they have, nil for none. As many as possible stay.
    func takePlaces(inOrderOf name: String, current: [Int64?]) {
        for (object, position) in zip(self, OrderPositions.assign(current: current)) {
            object.set(position: position, inOrderOf: name)
        }
    }
}
