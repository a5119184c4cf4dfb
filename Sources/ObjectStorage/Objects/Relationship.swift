/// Declares a relationship of a ``ManagedObject`` subclass: to one object (`Artist?`) or to many (`Set<Artwork>`).
///
/// Name the inverse on either side; the other side learns it from there.
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
public struct Relationship<Value: RelationshipValue> {
    let inverse: PartialKeyPath<Value.Destination>?
    let deleteRule: RelationshipDescription.DeleteRule

    /// Declares a relationship.
    ///
    /// - Parameters:
    ///   - inverse: The relationship of the other object that leads back.
    ///   - deleteRule: What a deletion of this object does to those at the other end.
    public init(
        inverse: PartialKeyPath<Value.Destination>? = nil,
        deleteRule: RelationshipDescription.DeleteRule = .nullify
    ) {
        self.inverse = inverse
        self.deleteRule = deleteRule
    }

    /// Only classes derived from ``ManagedObject`` can have relationships.
    @available(*, unavailable, message: "@Relationship belongs in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { Value.none }
        set { _ = newValue }
    }

    /// Reads and writes the relationship of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        get { Value.read(from: object, at: storageKeyPath) }
        set { newValue.write(to: object, at: storageKeyPath) }
    }
}

/// A type that a relationship can have: an optional object, or a set of objects.
public protocol RelationshipValue {
    /// The class of the objects at the other end.
    associatedtype Destination: ManagedObject
    /// Whether there can be more than one.
    static var isToMany: Bool { get }
    /// Leading nowhere.
    static var none: Self { get }
    /// Reads the relationship whose wrapper is stored at `storage`.
    static func read(from object: ManagedObject, at storage: AnyKeyPath) -> Self
    /// Writes the relationship whose wrapper is stored at `storage`.
    func write(to object: ManagedObject, at storage: AnyKeyPath)
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
    /// The class of the object at the other end.
    public typealias Destination = Wrapped
    /// False: there is at most one.
    public static var isToMany: Bool { false }

    /// Reads the object at the other end.
    public static func read(from object: ManagedObject, at storage: AnyKeyPath) -> Wrapped? {
        object.relatedObject(at: storage, of: Wrapped.self) as? Wrapped
    }

    /// Writes the object at the other end.
    public func write(to object: ManagedObject, at storage: AnyKeyPath) {
        object.setRelatedObject(self, at: storage)
    }
}

extension Set: RelationshipValue where Element: ManagedObject {
    /// The class of the objects at the other end.
    public typealias Destination = Element
    /// True.
    public static var isToMany: Bool { true }
    /// The empty set.
    public static var none: Set<Element> { [] }

    /// Reads the objects at the other end.
    public static func read(from object: ManagedObject, at storage: AnyKeyPath) -> Set<Element> {
        Set(object.relatedObjects(at: storage).lazy.compactMap { $0 as? Element })
    }

    /// Writes the objects at the other end.
    public func write(to object: ManagedObject, at storage: AnyKeyPath) {
        object.setRelatedObjects(Set<ManagedObject>(self.lazy.map { $0 }), at: storage)
    }
}
