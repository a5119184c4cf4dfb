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
        notePlaceOfItsOwn(inOrderOf: name)
        set(.integer(position), slot: slot)
    }

    /// Notes that the object gets another place in the order of the inverse of the to-one relationship called
    /// `name` than one that an undo gave it.
    func notePlaceOfItsOwn(inOrderOf name: String) {
        let member = FormerPlaces.Member(object: self, relationshipName: name)
        guard let undoManager = managedObjectContext?.undoManager,
            let place = undoManager.formerPlaces[member], place.isGiven
        else { return }
        undoManager.record(.formerPlace(member, place))
        undoManager.formerPlaces[member]?.isGiven = false
        // Also where the place is the same: another may be given to it before this is done again.
        if let slot = runtime.slot(ofOrderOf: name) {
            undoManager.record(.value(self, slot: slot, values[slot], reference: nil))
        }
    }

    /// Notes that the to-one relationship with a slot leads to a list in which the object has no place, if it
    /// does.
    func noteNewcomer(slot: Int) {
        let place = slot - entity.storedAttributes.count
        guard !entity.orderedToOneNames.isEmpty, entity.toOneRelationships.indices.contains(place),
            let orderSlot = runtime.slot(ofOrderOf: runtime.slotNames[slot])
        else { return }
        forgetFormerPlace(inOrderOf: runtime.slotNames[slot])
        guard values[orderSlot] == .null,
            let owner = relatedObject(slot: slot), let inverse = entity.toOneRelationships[place].inverseName
        else { return }
        managedObjectContext?.noteNewcomer(self, in: owner, through: inverse)
    }

    /// Notes that the object stands by its own key where the to-one relationship called `name` leads now.
    private func forgetFormerPlace(inOrderOf name: String) {
        let member = FormerPlaces.Member(object: self, relationshipName: name)
        guard let undoManager = managedObjectContext?.undoManager,
            let place = undoManager.formerPlaces[member]
        else { return }
        undoManager.record(.formerPlace(member, place))
        undoManager.formerPlaces[member] = nil
    }

    /// Gives the objects of an ordered relationship places in the order in which they are shown, if their
    /// rows would not have it without.
    ///
    /// - Parameter all: Whether they are to have places in any case.
    func placeNewcomers(
        through relationship: RelationshipDescription, all: Bool
    ) throws(ObjectStorageError) {
        guard let inverse = relationship.inverseName else { return }
        let objects = try relatedObjects(relationship.name)
        let positions = objects.map { $0.position(inOrderOf: inverse) }
        let isInOrder = zip(objects, positions).filter { $1 == nil }.map(\.0).areInOrderOfKeys
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
