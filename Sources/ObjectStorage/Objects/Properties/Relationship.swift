/// Declares a relationship of a ``ManagedObject`` subclass: to one object (`Artist?`), to many
/// (`Set<Artwork>`), or to many in an order (`[Track]`).
///
/// Name the inverse on either side; the other side learns it from there. Where both lead to one object, each
/// keeps a column, and setting one sets the other; who writes the store without this library has to write
/// both. After two contexts made the ends lead to different objects, the save that comes second sees to it
/// that they agree.
///
/// A relationship to many is read and set as a whole: to add one object to it takes time in proportion to
/// those that are there. Who adds many gathers them and sets it once, or sets the inverse of each.
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
    // The constraint is on the members: a constrained type would have its conformances looked up when a
    // program starts.
    /// The place among the properties of a prototype; −1 in other objects.
    @usableFromInline let place: Int16

    /// Declares a relationship whose inverse the other side names.
    ///
    /// - Parameters:
    ///   - deleteRule: What a deletion of this object does to those at the other end.
    ///   - details: What few relationships have.
    @inlinable
    public init(
        deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        place = PropertyCollector.note {
            .relationship(
                destination: Value.Destination.self, isToMany: Value.isToMany, isOrdered: Value.isOrdered,
                inverse: nil, deleteRule: deleteRule, details: details())
        }
    }

    /// Declares a relationship.
    ///
    /// - Parameters:
    ///   - inverse: The relationship of the other object that leads back.
    ///   - deleteRule: What a deletion of this object does to those at the other end.
    ///   - details: What few relationships have.
    @inlinable
    public init<Inverse: RelationshipValue>(
        inverse: @escaping @autoclosure () -> KeyPath<Value.Destination, Inverse>,
        deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        place = PropertyCollector.note {
            .relationship(
                destination: Value.Destination.self, isToMany: Value.isToMany,
                isOrdered: Value.isOrdered,
                inverse: DeclaredInverse(destination: Inverse.Destination.self, isToMany: Inverse.isToMany) {
                    ManagedObject.propertyPath(of: inverse())
                },
                deleteRule: deleteRule, details: details())
        }
    }

    /// Declares a relationship whose inverse is named by text: for one that is its own inverse, of which
    /// Swift allows no key path.
    ///
    /// ```swift
    /// @Relationship(inverseNamed: "friends") var friends: Set<Person>
    /// ```
    @inlinable
    public init(
        inverseNamed inverse: String, deleteRule: RelationshipDescription.DeleteRule = .nullify,
        details: @escaping @autoclosure () -> RelationshipDetails? = nil
    ) where Value: RelationshipValue {
        place = PropertyCollector.note {
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
            guard let place = place(of: object, storageKeyPath) else {
                return Value.prototypeValue(
                    of: object, wrapperPlace: Int(object[keyPath: storageKeyPath].place))
            }
            return Value.read(from: object, at: place)
        }
        set {
            guard let place = place(of: object, storageKeyPath) else { return }
            newValue.write(to: object, at: place)
        }
    }

    /// The place of the relationship; nil for a prototype.
    private static func place<Object: ManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Int? where Value: RelationshipValue {
        if let place = object.knownSortKey(at: storage) { return place }
        if object.runtime.recorder != nil { return nil }
        return object.learnSortKey(at: storage) {
            Int(unsafeDowncast($0, to: Object.self)[keyPath: storage].place)
        }
    }
}

extension Relationship: PropertyDeclaration {}

/// A type that a relationship can have: an optional object, a set or an array of objects.
public protocol RelationshipValue {
    /// The class of the objects at the other end.
    associatedtype Destination: ManagedObject
    /// Whether there can be more than one.
    static var isToMany: Bool { get }
    /// Whether the order of the objects is kept.
    static var isOrdered: Bool { get }
    /// Reads the relationship at a place that the library knows it by.
    static func read(from object: ManagedObject, at place: Int) -> Self
    /// Writes the relationship at a place that the library knows it by.
    func write(to object: ManagedObject, at place: Int)
    /// What the relationship of an object without a context shows, when a key path is followed.
    static func prototypeValue(of object: ManagedObject, wrapperPlace: Int) -> Self
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
    /// The class of the object at the other end.
    public typealias Destination = Wrapped
    /// False: there is at most one.
    public static var isToMany: Bool { false }
    /// False.
    public static var isOrdered: Bool { false }

    /// Reads the object at the other end.
    public static func read(from object: ManagedObject, at place: Int) -> Wrapped? {
        object.relatedObject(slot: place) as? Wrapped
    }

    /// Writes the object at the other end.
    public func write(to object: ManagedObject, at place: Int) {
        object.setRelatedObject(self, slot: place)
    }

    /// A prototype of the other end, so that the key path can be followed further.
    public static func prototypeValue(of object: ManagedObject, wrapperPlace: Int) -> Wrapped? {
        object.relatedPrototype(of: Wrapped.self, wrapperPlace: wrapperPlace).map {
            unsafeDowncast($0, to: Wrapped.self)
        }
    }
}

extension Set: RelationshipValue where Element: ManagedObject {
    /// The class of the objects at the other end.
    public typealias Destination = Element
    /// True.
    public static var isToMany: Bool { true }
    /// False.
    public static var isOrdered: Bool { false }

    /// Reads the objects at the other end.
    public static func read(from object: ManagedObject, at place: Int) -> Set<Element> {
        Set(object.relatedObjects(atPlace: place).lazy.compactMap { $0 as? Element })
    }

    /// Writes the objects at the other end.
    public func write(to object: ManagedObject, at place: Int) {
        object.setRelatedObjects(Array(self), atPlace: place)
    }

    /// Nothing, after telling the recorder.
    public static func prototypeValue(of object: ManagedObject, wrapperPlace: Int) -> Set<Element> {
        _ = object.relatedPrototype(of: Element.self, wrapperPlace: wrapperPlace)
        return []
    }
}

extension Array: RelationshipValue where Element: ManagedObject {
    /// The class of the objects at the other end.
    public typealias Destination = Element
    /// True.
    public static var isToMany: Bool { true }
    /// True.
    public static var isOrdered: Bool { true }

    /// Reads the objects at the other end, in their order. Those that were led here from the other end stand
    /// behind the others.
    public static func read(from object: ManagedObject, at place: Int) -> [Element] {
        object.relatedObjects(atPlace: place).compactMap { $0 as? Element }
    }

    /// Writes the objects at the other end. An object that is there twice counts once, at its first place.
    public func write(to object: ManagedObject, at place: Int) {
        object.setRelatedObjects(self, atPlace: place)
    }

    /// Nothing, after telling the recorder.
    public static func prototypeValue(of object: ManagedObject, wrapperPlace: Int) -> [Element] {
        _ = object.relatedPrototype(of: Element.self, wrapperPlace: wrapperPlace)
        return []
    }
}
