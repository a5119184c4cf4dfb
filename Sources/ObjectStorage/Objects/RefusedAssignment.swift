/// An assignment to a relationship that could not be made, because the object belongs to another context.
///
/// A property cannot throw: the relationship stays as it was, ``ManagedObject/readError`` has the reason, and
/// the next save throws it, unless the relationship was set again.
struct RefusedAssignment {
    /// The object whose relationship was set.
    let object: ManagedObject
    /// The slot of the relationship.
    let slot: Int
    /// The reason.
    let error: ObjectStorageError
}
