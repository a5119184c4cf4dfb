extension ManagedObjectContext {
    /// Notes that an object was made to lead to another, and stands at the end of its list, if that has an
    /// order.
    ///
    /// New objects have keys in the order of their insertion, and so do rows without a place: they need none,
    /// unless they go through several contexts, or are not new but came back.
    func noteUnpositionedMember(
        _ object: ManagedObject, in owner: ManagedObject, through relationshipName: String
    ) {
        let isNew = object.state == .inserted && undoManager?.restoredOrder.isBack(object) != true
        guard !isNew || parent != nil || !children.isEmpty else { return }
        let lists = unpositionedMembers ?? UnpositionedMembers()
        lists.lists.insert(.init(owner: owner, relationshipName: relationshipName))
        unpositionedMembers = lists
    }

    /// Whether objects joined a list that will get places at its end.
    func hasUnpositionedMembers(in owner: ManagedObject, through relationshipName: String) -> Bool {
        unpositionedMembers?.lists.contains(.init(owner: owner, relationshipName: relationshipName)) == true
    }

    /// Forgets the newMembers of a list that has places for all now.
    func forgetUnpositionedMembers(in owner: ManagedObject, through relationshipName: String) {
        unpositionedMembers?.lists.remove(.init(owner: owner, relationshipName: relationshipName))
    }

    /// Gives the newMembers places at the end, where they are shown, so that they are there after a save and
    /// in a child context, too.
    ///
    /// An undo of what led them there takes back the places of all, or those that had none would stand behind
    /// the others.
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
        for place in links.indices { try positionNewMembers(inLinksAt: place) }
    }

    private func positionNewMembers(inLinksAt place: Int) throws(ObjectStorageError) {
        let table = links[place].table
        // A table of somebody else's numbers each pair that it gets.
        guard table.existing == nil else { return }
        for end in [LinkEnd(table: table, isForward: true), LinkEnd(table: table, isForward: false)]
        where end.positionColumn != nil {
            for (owner, newMembers) in links[place].newMembers(at: end) where !owner.isDeleted {
                if parent == nil, newMembers.areInOrderOfNewKeys { continue }
                let list = try objects(linkedTo: owner, at: end, relationshipName: table.name)
                links[place].setOrder(list, of: owner, at: end)
            }
        }
    }
}

extension [ManagedObject] {
    /// Whether rows without a place stand in this order.
    var areInOrderOfKeys: Bool {
        zip(self, dropFirst()).allSatisfy { $0.identityKey.unsavedKey < $1.identityKey.unsavedKey }
    }

    /// Whether they would stand in this order if an undo gave them places.
    var areInOrderOfRanks: Bool {
        guard let restoredOrder = first?.managedObjectContext?.undoManager?.restoredOrder else { return true }
        return zip(self, dropFirst()).allSatisfy { restoredOrder.rank(of: $0) < restoredOrder.rank(of: $1) }
    }

    /// Whether they are new objects that will have keys in this order, above all others.
    fileprivate var areInOrderOfNewKeys: Bool {
        allSatisfy { $0.state == .inserted } && areInOrderOfKeys
    }
}
