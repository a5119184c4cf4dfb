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
    /// The type whose properties requests use: a protocol to which all classes conform.
    associatedtype SharedProperties = ManagedObject

    /// The classes, each with the case for its objects. Objects that the order of a request leaves equal are
    /// listed in this sequence.
    static var members: [ObjectUnionMember<Self>] { get }
}

extension ObjectUnion {
    /// One class of the union.
    public typealias Member = ObjectUnionMember<Self>

    /// Creates the value for an object; nil for an object of another class.
    ///
    /// - Parameter object: An object of any class.
    /// - Complexity: O(*m*) in the number of members.
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
    /// It is a programming error, which traps, if a class does not conform to ``SharedProperties``, or if two
    /// classes have the property under different names.
    ///
    /// - Parameter keyPath: The key path of a property that all classes of the union have.
    public static func path<Value>(to keyPath: KeyPath<SharedProperties, Value>) -> String {
        let paths = members.map { member in
            ManagedObject.propertyPath(of: keyPath, from: member.objectType) { object in
                guard let root = object as? SharedProperties else {
                    preconditionFailure(
                        "\(member.objectType) does not conform to \(SharedProperties.self), the type of the shared properties of \(Self.self)."
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
