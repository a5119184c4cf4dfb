extension ManagedObjectContext {
    /// Keeps for an undo what an object leads to, and its place among what these lead to in turn.
    func recordLinks(of object: ManagedObject, at end: LinkEnd) {
        guard let linked = listForUndo(of: object, at: end), !linked.isEmpty else { return }
        recordPlaces(at: end, among: linked)
        undoManager?.record(.links(object, end, linked))
    }

    /// Keeps for an undo the lists of the objects at the other ends of links, if they have an order, in which
    /// an object has its place.
    func recordPlaces(at end: LinkEnd, among others: some Sequence<ManagedObject>) {
        let opposite = end.opposite
        guard undoManager?.isUndoRegistrationEnabled == true, opposite.positionColumn != nil else { return }
        for other in others {
            if let list = listForUndo(of: other, at: opposite) {
                undoManager?.record(.links(other, opposite, list))
            }
        }
    }

    /// What an object leads to. The change does not depend on it: what cannot be read now will not be put
    /// back by an undo.
    private func listForUndo(of object: ManagedObject, at end: LinkEnd) -> [ManagedObject]? {
        do throws(ObjectStorageError) {
            return try objects(linkedTo: object, at: end, relationshipName: end.table.name)
        } catch {
            object.readError = error
            return nil
        }
    }

    /// Keeps for an undo what the objects led to that a child's changes are about.
    func recordLinks(
        changedBy changes: PendingLinks, of counterparts: [ManagedObject: ManagedObject], _ forward: LinkEnd
    ) {
        let pairs = changes.added.all + changes.removed
        for (end, owners) in [
            (forward.opposite, pairs.map(\.target) + changes.sourceOrders.keys),
            (forward, pairs.map(\.source) + changes.targetOrders.keys),
        ] where end.isForward || end.positionColumn != nil {
            for owner in Set(owners) {
                guard let owner = counterparts[owner], let list = listForUndo(of: owner, at: end) else {
                    continue
                }
                undoManager?.record(.links(owner, end, list))
            }
        }
    }
}
