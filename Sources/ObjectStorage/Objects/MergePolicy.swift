/// The way in which a save resolves conflicts with rows that were changed elsewhere after they were read.
///
/// Conflicts are detected by property: two contexts that change different properties of one object do not
/// conflict, under any policy. A conflict exists if
///
/// * a property that was changed here was changed elsewhere (``MergeConflict/Kind/changed``), even to the
///   same value: if two contexts both increment five to six, one increment is lost,
/// * an object that was changed here was deleted elsewhere (``MergeConflict/Kind/deletedInStore``),
/// * an object that was read and then deleted here was changed elsewhere
///   (``MergeConflict/Kind/deletedInContext``),
/// * a relationship was set to an object that was deleted elsewhere
///   (``MergeConflict/Kind/destinationDeletedInStore``). The save cannot store such a reference. Under any
///   policy but ``error`` the relationship gets the store's value if the store wins, and becomes nil if the
///   context wins, the object is new, or the inverse is to-one as well; if the relationship is required, the
///   save fails regardless.
///
/// A unique value that a new object shares with a row of its entity is settled as well: under any policy but
/// ``error`` the save merges the object with the row. The result has the row's values if the store wins, and
/// the object's under ``contextWins``. Under ``propertyByProperty(_:)`` in favour of the context it has the
/// object's values that differ from the defaults, and otherwise the row's. A saved object that takes the
/// unique value of another one is an error under every policy.
///
/// Each object is resolved separately, all in the transaction of the save. An object that two contexts
/// deleted is not a conflict.
public enum MergePolicy: Hashable, Sendable {
    /// The side whose value is kept if both changed the same property.
    public enum Winner: String, Hashable, Sendable {
        /// The store's value is kept.
        case store
        /// The context's value is kept.
        case context
    }

    /// The save fails with ``ObjectStorageError/Code/conflict`` and writes nothing. The error's
    /// ``ObjectStorageError/conflicts`` property lists all conflicts.
    case error
    /// An object in conflict discards all its unsaved changes and takes the state of the store: an object
    /// deleted elsewhere is deleted, and one deleted here is restored.
    case storeWins
    /// An object in conflict is written with all its values as they are in the context, replacing changes
    /// made elsewhere. An object deleted elsewhere is inserted again with the same key; relationships that
    /// led to it before do not lead to it again, and a context that merged the deletion has a different
    /// object for it. An object deleted here is deleted.
    case contextWins
    /// A property changed on one side keeps that side's value; if both sides changed it, the winner's value
    /// is kept. The winner also decides between a change and a deletion.
    case propertyByProperty(Winner)

    /// The side that decides between a change and a deletion; nil if the save must fail.
    var winner: Winner? {
        switch self {
        case .error: nil
        case .storeWins, .propertyByProperty(.store): .store
        case .contextWins, .propertyByProperty(.context): .context
        }
    }
}
