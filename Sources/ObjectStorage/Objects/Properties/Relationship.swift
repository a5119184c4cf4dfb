/// Declares a relationship of a ``ManagedObject`` subclass: to one object (`Artist?`), to many
/// (`Set<Artwork>`), or to many in an order (`[Track]`).
///
/// Name the inverse on either side; the library infers it for the other side. Two relationships of which
/// neither names an inverse are independent: setting one does not change the other, and no error reports it.
///
/// If both sides are to-one, each stores a column, and setting one sets the other; a program that writes the
/// store without this library must write both. If two contexts made the ends lead to different objects, the
/// later save makes them agree.
///
/// A to-many relationship is read and set as a whole: adding one object takes time proportional to the number
/// of related objects. To add many objects, collect them and set the relationship once, or set the inverse of
/// each object.
///
/// ```swift
/// final class Artwork: ManagedObject {
///     @Relationship(inverse: \Artist.artworks) var artist: Artist?
/// }
/// final class Artist: ManagedObject {
///     @Relationship var artworks: Set<Artwork>
/// }
/// ```
@propertyWrapper
public struct Relationship<Value> {
    // The constraint is on the members, because conformances of a constrained type would be looked up at
    // launch.
    /// The wrapper's position among the properties of a prototype; −1 in other objects.
    @usableFromInline let position: Int16

    /// Declares a relationship without an inverse, or whose inverse the other side names.
    ///
    /// - Parameters:
    ///   - deleteRule: The effect of deleting this object on the objects at the other end.
    ///   - details: Properties that few relationships need.
    @inlinable
    public init(
        deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        position = PropertyCollector.note {
            .relationship(
                destination: Value.Destination.self, isToMany: Value.isToMany, isOrdered: Value.isOrdered,
                inverse: nil, deleteRule: deleteRule, details: details())
        }
    }

    /// Declares a relationship.
    ///
    /// - Parameters:
    ///   - inverse: The relationship of the other object that leads back.
    ///   - deleteRule: The effect of deleting this object on the objects at the other end.
    ///   - details: Properties that few relationships need.
    @inlinable
    public init<Inverse: RelationshipValue>(
        inverse: @escaping @autoclosure () -> KeyPath<Value.Destination, Inverse>,
        deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        position = PropertyCollector.note {
            .relationship(
                destination: Value.Destination.self, isToMany: Value.isToMany,
                isOrdered: Value.isOrdered,
                inverse: DeclaredInverse(destination: Inverse.Destination.self, isToMany: Inverse.isToMany) {
                    ManagedObject.propertyPath(of: inverse())
                },
                deleteRule: deleteRule, details: details())
        }
    }

    /// Declares a relationship whose inverse is named by a string: for a relationship that is its own
    /// inverse, for which Swift does not allow a key path.
    ///
    /// ```swift
    /// @Relationship(inverseNamed: "friends") var friends: Set<Person>
    /// ```
    ///
    /// - Parameters:
    ///   - inverse: The name of the relationship of the other object that leads back.
    ///   - deleteRule: The effect of deleting this object on the objects at the other end.
    ///   - details: Properties that few relationships need.
    @inlinable
    public init(
        inverseNamed inverse: String, deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        position = PropertyCollector.note {
            .relationship(
                destination: Value.Destination.self, isToMany: Value.isToMany, isOrdered: Value.isOrdered,
                inverse: DeclaredInverse(destination: nil, isToMany: false) { inverse },
                deleteRule: deleteRule, details: details())
        }
    }

    /// Only classes derived from ``ManagedObject`` can have relationships.
    @available(*, unavailable, message: "@Relationship belongs in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { preconditionFailure("@Relationship belongs in a subclass of ManagedObject.") }
        set { preconditionFailure("@Relationship belongs in a subclass of ManagedObject.") }
    }

    /// Reads and writes the relationship of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Self>
    ) -> Value where Value: RelationshipValue {
        get {
            guard let slot = slot(of: object, storageKeyPath) else {
                return Value.prototypeValue(
                    of: object, wrapperPosition: Int(object[keyPath: storageKeyPath].position))
            }
            return Value.read(from: object, at: slot)
        }
        set {
            guard let slot = slot(of: object, storageKeyPath) else { return }
            newValue.write(to: object, at: slot)
        }
    }

    /// Returns the slot of the relationship; nil for a prototype.
    private static func slot<Object: ManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Int? where Value: RelationshipValue {
        if let slot = object.knownSlot(at: storage) { return slot }
        if object.runtime.recorder != nil { return nil }
        return object.findSlot(at: storage) {
            Int(unsafeDowncast($0, to: Object.self)[keyPath: storage].position)
        }
    }
}

extension Relationship: PropertyDeclaration {}

/// A type that a relationship can have: an optional object, a set or an array of objects.
public protocol RelationshipValue {
    /// The class of the objects at the other end.
    associatedtype Destination: ManagedObject
    /// Whether the relationship can lead to more than one object.
    static var isToMany: Bool { get }
    /// Whether the order of the objects is kept.
    static var isOrdered: Bool { get }
    /// Reads the relationship in a slot. Called by the library only.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    static func read(from object: ManagedObject, at slot: Int) -> Self
    /// Writes the relationship in a slot. Called by the library only.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    func write(to object: ManagedObject, at slot: Int)
    /// Returns the value of a prototype's relationship while a key path is followed. Called by the library
    /// only.
    ///
    /// - Parameters:
    ///   - object: The prototype that has the relationship.
    ///   - position: The position of the property wrapper in the prototype.
    static func prototypeValue(of object: ManagedObject, wrapperPosition position: Int) -> Self
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
    /// The class of the object at the other end.
    public typealias Destination = Wrapped
    /// False: the relationship leads to at most one object.
    public static var isToMany: Bool { false }
    /// False: one object has no order.
    public static var isOrdered: Bool { false }

    /// Reads the object at the other end; nil if there is none, or if it cannot be read.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public static func read(from object: ManagedObject, at slot: Int) -> Wrapped? {
        object.relatedObject(slot: slot) as? Wrapped
    }

    /// Writes the object at the other end.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public func write(to object: ManagedObject, at slot: Int) {
        object.setRelatedObject(self, slot: slot)
    }

    /// Returns a prototype of the other end, so that the key path can be followed further.
    ///
    /// - Parameters:
    ///   - object: The prototype that has the relationship.
    ///   - position: The position of the property wrapper in the prototype.
    public static func prototypeValue(of object: ManagedObject, wrapperPosition position: Int) -> Wrapped? {
        object.relatedPrototype(of: Wrapped.self, wrapperPosition: position).map {
            unsafeDowncast($0, to: Wrapped.self)
        }
    }
}

extension Set: RelationshipValue where Element: ManagedObject {
    /// The class of the objects at the other end.
    public typealias Destination = Element
    /// True: the relationship can lead to several objects.
    public static var isToMany: Bool { true }
    /// False: a set has no order.
    public static var isOrdered: Bool { false }

    /// Reads the objects at the other end.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public static func read(from object: ManagedObject, at slot: Int) -> Set<Element> {
        Set(object.relatedObjects(inSlot: slot).lazy.compactMap { $0 as? Element })
    }

    /// Writes the objects at the other end.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public func write(to object: ManagedObject, at slot: Int) {
        object.setRelatedObjects(Array(self), inSlot: slot)
    }

    /// Records the read and returns an empty set.
    ///
    /// - Parameters:
    ///   - object: The prototype that has the relationship.
    ///   - position: The position of the property wrapper in the prototype.
    public static func prototypeValue(of object: ManagedObject, wrapperPosition position: Int) -> Set<Element>
    {
        _ = object.relatedPrototype(of: Element.self, wrapperPosition: position)
        return []
    }
}

extension Array: RelationshipValue where Element: ManagedObject {
    /// The class of the objects at the other end.
    public typealias Destination = Element
    /// True: the relationship can lead to several objects.
    public static var isToMany: Bool { true }
    /// True: the order of the array is kept.
    public static var isOrdered: Bool { true }

    /// Reads the objects at the other end, in their order. Objects that were added by setting their inverse
    /// follow the others.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public static func read(from object: ManagedObject, at slot: Int) -> [Element] {
        object.relatedObjects(inSlot: slot).compactMap { $0 as? Element }
    }

    /// Writes the objects at the other end. Only the first occurrence of an object in the array counts.
    ///
    /// - Parameters:
    ///   - object: The object that has the relationship.
    ///   - slot: The number of the relationship in its entity's property layout.
    public func write(to object: ManagedObject, at slot: Int) {
        object.setRelatedObjects(self, inSlot: slot)
    }

    /// Records the read and returns an empty array.
    ///
    /// - Parameters:
    ///   - object: The prototype that has the relationship.
    ///   - position: The position of the property wrapper in the prototype.
    public static func prototypeValue(of object: ManagedObject, wrapperPosition position: Int) -> [Element] {
        _ = object.relatedPrototype(of: Element.self, wrapperPosition: position)
        return []
    }
}
