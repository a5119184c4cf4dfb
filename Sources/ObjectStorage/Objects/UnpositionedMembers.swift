/// The ordered lists that objects joined from the other side, and so without a place in them.
final class UnpositionedMembers {
    /// An object with one of its relationships.
    struct List: Hashable {
        let owner: ManagedObject
        let relationshipName: String
    }

    /// The lists of relationships that are kept in a column of the objects in the list.
    var lists: Set<List> = []
}
