/// Objects of several entities that are listed together: usually an enumeration with a case for each class.
///
/// ```swift
/// enum MediaItem: ObjectUnion {
///     case song(Song)
///     case podcast(Podcast)
///
///     typealias SharedProperties = any Titled
///     static let members = [UnionMember(MediaItem.song), UnionMember(MediaItem.podcast)]
/// }
/// ```
///
/// The entities need no common parent. Requests read the attributes and to-one relationships that all of them
/// have, with the same name and type.
public protocol ObjectUnion: SendableMetatype {
    /// The type by whose properties requests are written: a protocol to which all classes conform.
    associatedtype SharedProperties = ManagedObject

    /// The classes, each with the case for its objects. Objects that the order of a request leaves equal are
    /// listed in this sequence.
    static var members: [UnionMember<Self>] { get }
}

/// One class of an ``ObjectUnion``.
public struct UnionMember<Union: ObjectUnion>: Sendable {
    let objectType: ManagedObject.Type
    let make: @Sendable (ManagedObject) -> Union?

    /// Describes a class by the case for its objects, for example `UnionMember(MediaItem.song)`.
    public init<Object: ManagedObject>(_ make: @escaping @Sendable (Object) -> Union) {
        objectType = Object.self
        self.make = { object in (object as? Object).map(make) }
    }
}

extension ObjectUnion {
    /// Creates the value for an object; nil for an object of another class.
    public init?(_ object: ManagedObject) {
        for member in Self.members {
            guard let value = member.make(object) else { continue }
            self = value
            return
        }
        return nil
    }

    /// The names of the entities joined by “+”: the entity name of requests for all of them.
    public static var entityName: String {
        members.map(\.objectType.entityName).joined(separator: String(EntityUnion.separator))
    }

    /// Returns the dotted key path to a shared property, for section keys and predicates:
    /// `.firstLetter(of: MediaItem.path(to: \.title))`.
    ///
    /// The first class of ``members`` must conform to ``SharedProperties``.
    public static func path<Value>(to keyPath: KeyPath<SharedProperties, Value>) -> String {
        guard let type = members.first?.objectType else {
            preconditionFailure("The union \(Self.self) has no members.")
        }
        return ManagedObject.propertyPath(of: keyPath, from: type) { object in
            guard let root = object as? SharedProperties else {
                preconditionFailure(
                    "\(type) does not conform to \(SharedProperties.self), by which \(Self.self) is listed.")
            }
            return root
        }
    }
}

extension FetchRequest where Object == ManagedObject {
    /// Creates a request for the objects of several entities.
    ///
    /// ```swift
    /// let request = FetchRequest(MediaItem.self, sortDescriptors: [.ascending(\.title, of: MediaItem.self)])
    /// ```
    ///
    /// A context can fetch, count and list the objects, and a results controller can show them, with one
    /// cache entry. The predicate, the order and the sections read properties that are the same in all
    /// entities; to-many relationships cannot be read. The keys of rows in existing tables must be between
    /// −2⁵⁵ and 2⁵⁵−1.
    ///
    /// - Parameters:
    ///   - union: The classes of the objects.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order; objects that it leaves equal are in the sequence of
    ///     ``ObjectUnion/members``, and among themselves ordered by key.
    public init<Union: ObjectUnion>(
        _ union: Union.Type, predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(entityName: Union.entityName, predicate: predicate, sortDescriptors: sortDescriptors)
    }

    /// Creates a request for the objects of several entities, given by their names. See
    /// ``init(_:predicate:sortDescriptors:)``.
    public init(
        entityNames: [String], predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(
            entityName: entityNames.joined(separator: String(EntityUnion.separator)), predicate: predicate,
            sortDescriptors: sortDescriptors)
    }
}

extension FetchRequest.SortDescriptor where Object == ManagedObject {
    /// Sorts in ascending order of a property that all classes of a union share.
    public static func ascending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .ascending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }

    /// Sorts in descending order of a property that all classes of a union share.
    public static func descending<Union: ObjectUnion, Value>(
        _ keyPath: KeyPath<Union.SharedProperties, Value>, of union: Union.Type, order: TextOrder = .binary,
        nulls: NullOrder = .smallest
    ) -> Self {
        .descending(.path(Union.path(to: keyPath)), order: order, nulls: nulls)
    }
}
