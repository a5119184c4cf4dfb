/// The result of a batch that inserts rows or updates those that have their unique values.
public struct BatchUpsertResult: Hashable, Sendable {
    /// The number of objects inserted.
    public let insertedCount: Int
    /// The number of objects updated: those whose values differed. An object to which several rows of the
    /// batch lead counts once.
    public let updatedCount: Int
    /// The identities of the inserted objects, if requested, in the order of their rows.
    public let insertedObjectIDs: [ObjectID]
    /// The identities of the updated objects, if requested, in the order of their rows.
    public let updatedObjectIDs: [ObjectID]
    /// The changes in the store. Contexts of the container that merge automatically receive them without a
    /// call.
    public let changes: StoreChanges
}
