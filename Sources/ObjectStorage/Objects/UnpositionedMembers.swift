/// The ordered lists that contain objects without a position, because these were added by setting their
/// inverse.
final class UnpositionedMembers {
    /// An object with one of its relationships.
    struct List: Hashable {
        let owner: ManagedObject
        let relationshipName: String
    }

    /// The lists whose relationship is stored in a column of their members.
    var lists: Set<List> = []
}
