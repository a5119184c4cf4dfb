/// The kind of result that a batch operation returns.
public enum BatchResultType: Hashable, Sendable {
    /// The number of objects. Contexts treat all objects of the entity as possibly changed.
    case count
    /// The identities of the objects. Contexts treat only these as changed.
    case objectIDs
}

/// The result of a batch operation.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or matched by the deletion.
    public let count: Int
    /// The identities of these objects, if requested.
    public let objectIDs: [ObjectID]
    /// The changes in the store, including those of delete rules. Contexts of the container that merge
    /// automatically receive them without a call.
    public let changes: StoreChanges
}
