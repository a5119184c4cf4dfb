/// What a save does with objects whose rows changed elsewhere since they were read.
///
/// Conflicts are found property by property: two contexts that change different properties of one object do
/// not conflict, under any policy. There is a conflict where
///
/// * a property that was changed here was changed elsewhere (``MergeConflict/Kind/changed``), also to the
///   same value: two who count from five to six have lost one,
/// * an object that was changed here was deleted elsewhere (``MergeConflict/Kind/deletedInStore``),
/// * an object that was read and deleted here was changed elsewhere
///   (``MergeConflict/Kind/deletedInContext``),
/// * a relationship was made to lead to an object that was deleted elsewhere
///   (``MergeConflict/Kind/destinationDeletedInStore``). Nobody can have it lead there, so under any policy
///   but ``error`` it leads where the store has it if the store wins, and nowhere if the context wins, the
///   object is new, or the inverse leads to one object, too; the save fails all the same if it must lead
///   somewhere.
///
/// Each object is judged by itself, and all in the transaction of the save. An object that two contexts
/// deleted is no conflict.
public enum MergePolicy: Hashable, Sendable {
    /// Whose value stays where both changed the same property.
    public enum Winner: String, Hashable, Sendable {
        /// The store's.
        case store
        /// The context's.
        case context
    }

    /// The save fails with ``ObjectStorageError/Code/conflict`` and writes nothing. The error's
    /// ``ObjectStorageError/conflicts`` has them all.
    case error
    /// An object in conflict gives up all its unsaved changes and is as it is in the store: one deleted
    /// elsewhere is gone, one deleted here is back.
    case storeWins
    /// An object in conflict is written with all its values as they are in the context, over whatever changed
    /// elsewhere. One deleted elsewhere gets its row again, with the same key; objects that led to it before
    /// do not lead to it again, and a context that merged the deletion has another object for it. One deleted
    /// here is deleted.
    case contextWins
    /// Properties changed on one side keep that side's value; where both sides changed a property, the
    /// winner's value stays. The winner also decides between a change and a deletion.
    case propertyByProperty(Winner)

    /// Who decides between a change and a deletion; nil if nobody may.
    var winner: Winner? {
        switch self {
        case .error: nil
        case .storeWins, .propertyByProperty(.store): .store
        case .contextWins, .propertyByProperty(.context): .context
        }
    }
}
