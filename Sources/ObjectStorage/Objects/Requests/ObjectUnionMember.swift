/// One class of an ``ObjectUnion``.
public struct ObjectUnionMember<Union: ObjectUnion>: Sendable {
    let objectType: ManagedObject.Type
    let make: @Sendable (ManagedObject) -> Union?

    /// Describes a class by the case for its objects, for example `Member(MediaItem.song)`.
    ///
    /// - Parameter make: Returns the value for an object of the class: the case of an enumeration, for
    ///   example.
    public init<Object: ManagedObject>(_ make: @escaping @Sendable (Object) -> Union) {
        objectType = Object.self
        self.make = { object in (object as? Object).map(make) }
    }
}
