/// An object's position in an ordered relationship that is stored in a column: the ordered inverse of a
/// to-one relationship of the object.
extension ManagedObject {
    /// Returns the object's position in the ordered inverse of the to-one relationship called `name`; nil if
    /// it has none.
    func position(inOrderOf name: String) -> Int64? {
        guard loadIfNeeded(), let slot = runtime.slot(ofOrderOf: name),
            case .integer(let position) = values[slot]
        else { return nil }
        return position
    }

    /// Sets the object's position in the ordered inverse of the to-one relationship called `name`.
    func set(position: Int64, inOrderOf name: String) {
        guard let slot = runtime.slot(ofOrderOf: name) else { return }
        // This is necessary even if the position equals one that an undo assigned.
        forgetGivenPosition(slot: slot)
        set(.integer(position), slot: slot)
    }

    /// Whether the object has a position in the ordered inverse of the to-one relationship called `name` that
    /// was not assigned by an undo.
    func hasOwnPosition(inOrderOf name: String) -> Bool {
        guard position(inOrderOf: name) != nil, let slot = runtime.slot(ofOrderOf: name) else {
            return false
        }
        let undoManager = managedObjectContext?.undoManager
        return undoManager?.restoredOrder.isGiven(.init(object: self, slot: slot)) != true
    }

    /// Records that an undo assigned the object's position in the ordered inverse of the to-one relationship
    /// called `name`.
    func noteGivenPosition(inOrderOf name: String) {
        guard let slot = runtime.slot(ofOrderOf: name), let position = position(inOrderOf: name)
        else { return }
        managedObjectContext?.undoManager?.restoredOrder.noteGiven(.init(object: self, slot: slot), position)
    }

    /// Records, if an undo assigned the position in a slot, that the slot is about to get another position or
    /// none.
    ///
    /// - Returns: Whether an undo had assigned the position. In that case the step that undoes the change is
    ///   recorded, with no position as the previous value.
    @discardableResult
    func forgetGivenPosition(slot: Int) -> Bool {
        guard let undoManager = managedObjectContext?.undoManager, !undoManager.restoredOrder.isEmpty,
            loadIfNeeded(), undoManager.restoredOrder.forgetGiven(.init(object: self, slot: slot))
        else { return false }
        undoManager.record(.value(self, slot: slot, .null, reference: nil))
        return true
    }

    /// Records, if the to-one relationship in a slot leads to an ordered list in which the object has no
    /// position, that the object needs one.
    func noteUnpositionedMember(slot: Int) {
        let index = slot - entity.storedAttributes.count
        guard !entity.orderedToOneNames.isEmpty, entity.toOneRelationships.indices.contains(index),
            let orderSlot = runtime.slot(ofOrderOf: runtime.slotNames[slot])
        else { return }
        guard values[orderSlot] == .null,
            let owner = relatedObject(slot: slot), let inverse = entity.toOneRelationships[index].inverseName
        else { return }
        managedObjectContext?.noteUnpositionedMember(self, in: owner, through: inverse)
    }

    /// Assigns positions to the objects of an ordered relationship in the order in which they are shown,
    /// unless their rows have that order without positions and an undo would restore it.
    ///
    /// - Parameter all: Whether to assign positions in every case.
    func positionNewMembers(
        through relationship: RelationshipDescription, all: Bool
    ) throws(ObjectStorageError) {
        guard let inverse = relationship.inverseName else { return }
        let objects = try relatedObjects(relationship.name)
        let positions = objects.map { $0.position(inOrderOf: inverse) }
        let isInOrder =
            zip(objects, positions).filter { $1 == nil }.map(\.0).areInOrderOfKeys
            && objects.filter { !$0.hasOwnPosition(inOrderOf: inverse) }.areInOrderOfRanks
        guard all || !isInOrder else { return }
        objects.assignPositions(inOrderOf: inverse, current: positions)
    }
}

extension [ManagedObject] {
    /// Assigns positions to the objects, in the order of the array, in the ordered inverse of the to-one
    /// relationship called `name`.
    ///
    /// - Parameter current: The positions that the objects have, nil for none. As many as possible are kept.
    func assignPositions(inOrderOf name: String, current: [Int64?]) {
        let spacing = first?.entity.rowRules == nil ? OrderPositions.Spacing.usual : .coreData
        for (object, position) in zip(self, OrderPositions.assign(current: current, spacing: spacing)) {
            object.set(position: position, inOrderOf: name)
        }
    }
}
