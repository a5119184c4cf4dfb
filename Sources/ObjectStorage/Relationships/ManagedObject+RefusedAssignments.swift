extension ManagedObject {
    /// Records that a relationship could not be set.
    func refuseAssignment(_ error: ObjectStorageError, slot: Int) {
        readError = error
        managedObjectContext?.refusedAssignments.append(
            RefusedAssignment(object: self, slot: slot, error: error))
    }

    /// Forgets earlier assignments to a relationship that could not be made.
    func forgetRefusedAssignments(slot: Int) {
        guard let context = managedObjectContext, !context.refusedAssignments.isEmpty else { return }
        let count = context.refusedAssignments.count
        context.refusedAssignments.removeAll { $0.object === self && $0.slot == slot }
        guard context.refusedAssignments.count < count else { return }
        readError = context.refusedAssignments.last { $0.object === self }?.error
    }
}
