extension ManagedObjectContext {
    /// Records that an object joined an ordered list by its inverse, and is at the end without a position.
    ///
    /// New objects get keys in the order of their insertion, and rows without a position are ordered by key.
    /// A new object therefore needs a position only if its list passes through several contexts, or if the
    /// object was restored by an undo.
    func noteUnpositionedMember(
        _ object: ManagedObject, in owner: ManagedObject, through relationshipName: String
    ) {
        let isNew = object.state == .inserted && undoManager?.restoredOrder.isBack(object) != true
        guard !isNew || parent != nil || !children.isEmpty else { return }
        let lists = unpositionedMembers ?? UnpositionedMembers()
        lists.lists.insert(.init(owner: owner, relationshipName: relationshipName))
        unpositionedMembers = lists
    }

    /// Returns whether a list contains objects that will get positions at its end.
    func hasUnpositionedMembers(in owner: ManagedObject, through relationshipName: String) -> Bool {
        unpositionedMembers?.lists.contains(.init(owner: owner, relationshipName: relationshipName)) == true
    }

    /// Discards the record of new members of a list in which all objects have positions.
    func forgetUnpositionedMembers(in owner: ManagedObject, through relationshipName: String) {
        unpositionedMembers?.lists.remove(.init(owner: owner, relationshipName: relationshipName))
    }

    /// Assigns positions to new members at the end of their lists, where they are shown, so that a save and a
    /// child context keep this order.
    ///
    /// An undo of the change that added them also reverts the positions of all members; otherwise members
    /// that had no position would follow the others.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects in the lists.
    func positionNewMembers() throws(ObjectStorageError) {
        guard unpositionedMembers != nil || !links.isEmpty else { return }
        for list in unpositionedMembers?.lists ?? [] where !list.owner.isDeleted {
            if let relationship = list.owner.entity.relationship(named: list.relationshipName) {
                try list.owner.positionNewMembers(through: relationship, all: parent != nil)
            }
        }
        unpositionedMembers = nil
        for index in links.indices { try positionNewMembers(inLinksAt: index) }
    }

    private func positionNewMembers(inLinksAt index: Int) throws(ObjectStorageError) {
        let table = links[index].table
        // In an external link table, each inserted pair gets a number.
        guard table.existing == nil else { return }
        for end in [LinkEnd(table: table, isForward: true), LinkEnd(table: table, isForward: false)]
        where end.positionColumn != nil {
            for (owner, newMembers) in links[index].newMembers(at: end) where !owner.isDeleted {
                if parent == nil, newMembers.areInOrderOfNewKeys { continue }
                let list = try objects(linkedTo: owner, at: end, relationshipName: table.name)
                links[index].setOrder(list, of: owner, at: end)
            }
        }
    }
}

extension [ManagedObject] {
    /// Whether rows without positions are in this order.
    var areInOrderOfKeys: Bool {
        zip(self, dropFirst()).allSatisfy { $0.identityKey.unsavedKey < $1.identityKey.unsavedKey }
    }

    /// Whether the objects would be in this order if an undo assigned their positions.
    var areInOrderOfRanks: Bool {
        guard let restoredOrder = first?.managedObjectContext?.undoManager?.restoredOrder else { return true }
        return zip(self, dropFirst()).allSatisfy { restoredOrder.rank(of: $0) < restoredOrder.rank(of: $1) }
    }

    /// Whether all objects are new and will get keys in this order, greater than all others.
    fileprivate var areInOrderOfNewKeys: Bool {
        allSatisfy { $0.state == .inserted } && areInOrderOfKeys
    }
}
