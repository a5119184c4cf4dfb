extension ManagedObjectContext {
    /// Records, for undo, the objects that an object leads to, and its positions in the lists of these
    /// objects.
    func recordLinks(of object: ManagedObject, at end: LinkEnd) {
        guard let linked = listForUndo(of: object, at: end), !linked.isEmpty else { return }
        recordPositions(at: end, among: linked)
        undoManager?.record(.links(object, end, linked))
    }

    /// Records, for undo, the ordered lists of the objects at the other ends of links, in which an object has
    /// a position.
    func recordPositions(at end: LinkEnd, among others: some Sequence<ManagedObject>) {
        let opposite = end.opposite
        guard undoManager?.isUndoRegistrationEnabled == true, opposite.positionColumn != nil else { return }
        for other in others {
            if let list = listForUndo(of: other, at: opposite) {
                undoManager?.record(.links(other, opposite, list))
            }
        }
    }

    /// Returns the objects that an object leads to; nil if they cannot be read. The change does not depend on
    /// the result: a list that cannot be read now is not restored by an undo.
    private func listForUndo(of object: ManagedObject, at end: LinkEnd) -> [ManagedObject]? {
        do throws(ObjectStorageError) {
            return try objects(linkedTo: object, at: end, relationshipName: end.table.name)
        } catch {
            object.readError = error
            return nil
        }
    }

    /// Records, for undo, the lists of the objects that a child context's changes concern.
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
