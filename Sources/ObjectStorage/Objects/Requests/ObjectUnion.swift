/// Objects of several entities that are listed together: usually an enumeration with a case for each class.
///
/// ```swift
/// enum MediaItem: ObjectUnion {
///     case song(Song)
///     case podcast(Podcast)
///
///     typealias SharedProperties = any Titled
///     static let members = [Member(MediaItem.song), Member(MediaItem.podcast)]
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
    static var members: [ObjectUnionMember<Self>] { get }
}

/// One class of an ``ObjectUnion``.
public struct ObjectUnionMember<Union: ObjectUnion>: Sendable {
    let objectType: ManagedObject.Type
    let make: @Sendable (ManagedObject) -> Union?

    /// Describes a class by the case for its objects, for example `Member(MediaItem.song)`.
    public init<Object: ManagedObject>(_ make: @escaping @Sendable (Object) -> Union) {
        objectType = Object.self
        self.make = { object in (object as? Object).map(make) }
    }
}

extension ObjectUnion {
    /// One class of the union.
    public typealias Member = ObjectUnionMember<Self>

    /// Creates the value for an object; nil for an object of another class.
    public init?(object: ManagedObject) {
        for member in Self.members {
            guard let value = member.make(object) else { continue }
            self = value
            return
        }
        return nil
    }

    /// The names of the entities, in the sequence of ``members``.
    public static var entityNames: [String] { members.map(\.objectType.entityName) }

    /// Returns the dotted key path to a shared property, for section keys and predicates:
    /// `.firstLetter(of: MediaItem.path(to: \.title))`.
    ///
    /// It is a programmer error if a class does not conform to ``SharedProperties``, or if two classes have the
    /// property under different names.
    public static func path<Value>(to keyPath: KeyPath<SharedProperties, Value>) -> String {
        let paths = members.map { member in
            ManagedObject.propertyPath(of: keyPath, from: member.objectType) { object in
                guard let root = object as? SharedProperties else {
                    preconditionFailure(
                        "\(member.objectType) does not conform to \(SharedProperties.self), by which \(Self.self) is listed."
                    )
                }
                return root
            }
        }
        guard let path = paths.first else { preconditionFailure("The union \(Self.self) has no members.") }
        precondition(
            paths.allSatisfy { $0 == path },
            "The key path \(keyPath) leads to properties with the names \(paths.joined(separator: ", ")). Give the property one name in all classes of \(Self.self)."
        )
        return path
    }
}

extension FetchRequest where Object == ManagedObject {
    /// Creates a request for the objects of several entities.
    ///
    /// ```swift
    /// let request = FetchRequest(for: MediaItem.self, sortDescriptors: [.ascending(\.title, of: MediaItem.self)])
    /// ```
    ///
    /// A context can fetch, count and list the objects, and a results controller can show them, with one
    /// cache entry. The predicate, the order and the sections read attributes and to-one relationships that are
    /// the same in all entities: with the same name, type, destination and storage. Objects of sub-entities are
    /// included. The keys of rows must be between −2⁵⁵ and 2⁵⁵−1; another key is an error that names it.
    ///
    /// No index of the tables has the order of all of them, so SQLite reads all rows for the first ones: the
    /// list has no first screen before it is complete, and a limit does not make it faster.
    ///
    /// - Parameters:
    ///   - union: The classes of the objects.
    ///   - predicate: The predicate that objects must satisfy; nil for all objects.
    ///   - sortDescriptors: The order; objects that it leaves equal are in the sequence of
    ///     ``ObjectUnion/members``, and among themselves ordered by key.
    public init<Union: ObjectUnion>(
        for union: Union.Type, predicate: Predicate? = nil, sortDescriptors: [SortDescriptor] = []
    ) {
        self.init(
            entityNames: Union.entityNames, predicate: predicate, sortDescriptors: sortDescriptors)
    }

    /// Creates a request for the objects of several entities, given by their names. See
    /// ``init(for:predicate:sortDescriptors:)``.
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

extension ManagedObjectContext {
    /// Fetches objects of several entities as values of a union, in order.
    ///
    /// The rows are read after the keys, so an object may have been changed or deleted in between by another
    /// program; the ``ManagedObject/readError`` of a deleted one says so.
    ///
    /// - Throws: ``ObjectStorageError`` as ``fetch(_:)``; with ``ObjectStorageError/Code/invalidModel`` if the
    ///   union has no case for an object, as for entities without classes.
    /// - Complexity: As ``fetch(_:)``.
    public func fetch<Union: ObjectUnion>(
        _ request: FetchRequest<ManagedObject>, as union: Union.Type
    ) throws(ObjectStorageError) -> [Union] {
        var values: [Union] = []
        for object in try fetch(request) {
            guard let value = Union(object: object) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "\(Union.self) has no case for \(object.objectID), an object of the class \(type(of: object)).",
                    entityName: object.entity.name, objectID: object.objectID)
            }
            values.append(value)
        }
        return values
    }
}
