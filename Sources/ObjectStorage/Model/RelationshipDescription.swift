/// One relationship of an entity: to one object, or to many, with its inverse on the other side.
public struct RelationshipDescription: Hashable, Sendable, Codable {
    /// What becomes of the objects at the other end when this object is deleted.
    public enum DeleteRule: String, Hashable, Sendable, Codable {
        /// They stay and forget this object.
        case nullify
        /// They are deleted as well.
        case cascade
        /// The deletion is refused while there are any.
        case deny
    }

    /// The name; for a to-one relationship also the name of the SQLite column, which holds the other object's key.
    public let name: String
    /// The entity at the other end.
    public let destinationEntityName: String
    /// The relationship of the destination that leads back. A to-many relationship needs a to-one inverse.
    public let inverseName: String?
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether it may lead nowhere. Always true for to-many.
    public let isOptional: Bool
    /// What a deletion of this object does at the other end.
    public let deleteRule: DeleteRule

    /// Describes a to-one relationship.
    public static func toOne(
        _ name: String, to destination: String, inverse: String? = nil, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify
    ) -> Self {
        Self(
            name: name, destinationEntityName: destination, inverseName: inverse, isToMany: false,
            isOptional: isOptional, deleteRule: deleteRule)
    }

    /// Describes a to-many relationship, which the to-one relationship `inverse` of the destination keeps. The inverse
    /// may be left out where the other side names this one.
    public static func toMany(
        _ name: String, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify
    ) -> Self {
        Self(
            name: name, destinationEntityName: destination, inverseName: inverse, isToMany: true,
            isOptional: true, deleteRule: deleteRule)
    }

    /// The same relationship with an inverse, for the side that did not declare one.
    func withInverse(_ inverse: String) -> Self {
        Self(
            name: name, destinationEntityName: destinationEntityName, inverseName: inverse,
            isToMany: isToMany,
            isOptional: isOptional, deleteRule: deleteRule)
    }
}
