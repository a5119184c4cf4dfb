/// One relationship of an entity: to one object, or to many, with its inverse on the other side.
public struct RelationshipDescription: Hashable, Sendable {
    /// What becomes of the objects at the other end when this object is deleted.
    public enum DeleteRule: String, Hashable, Sendable, Codable {
        /// They stay and forget this object.
        case nullify
        /// They are deleted as well.
        case cascade
        /// The deletion is refused while there are any.
        case deny
        /// Nothing: they lead to an object that is gone, and reading it is an error that says so.
        case noAction
    }

    /// The name; for a to-one relationship also the name of the SQLite column, which holds the other object's
    /// key.
    public let name: String
    /// The entity at the other end.
    public let destinationEntityName: String
    /// The relationship of the destination that leads back, if there is one.
    public let inverseName: String?
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether it may lead nowhere. Always true for to-many.
    public let isOptional: Bool
    /// Whether a to-many relationship keeps the order that its objects were given in.
    public let isOrdered: Bool
    /// What a deletion of this object does at the other end.
    public let deleteRule: DeleteRule
    /// How many objects a to-many relationship of a saved object must lead to; nil for no bound.
    public let allowedCount: ClosedRange<Int>?
    /// The name that the relationship had in an earlier version of the model, if that was another.
    public let renamingIdentifier: String?

    /// Describes a to-one relationship.
    ///
    /// - Parameter renamingIdentifier: The relationship's name in the model that existing stores were made
    ///   with.
    public static func toOne(
        _ name: String, to destination: String, inverse: String? = nil, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil
    ) -> Self {
        Self(
            name: name, destinationEntityName: destination, inverseName: inverse, isToMany: false,
            isOptional: isOptional, isOrdered: false, deleteRule: deleteRule, allowedCount: nil,
            renamingIdentifier: renamingIdentifier)
    }

    /// Describes a to-many relationship. Its inverse may be left out where the other side names this one, or
    /// where there is none.
    ///
    /// - Parameters:
    ///   - isOrdered: Whether the order of the objects is kept.
    ///   - allowedCount: How many objects there must be when the object is saved; nil for no bound.
    ///   - renamingIdentifier: The relationship's name in the model that existing stores were made with.
    public static func toMany(
        _ name: String, to destination: String, inverse: String? = nil, isOrdered: Bool = false,
        deleteRule: DeleteRule = .nullify, allowedCount: ClosedRange<Int>? = nil,
        renamingIdentifier: String? = nil
    ) -> Self {
        Self(
            name: name, destinationEntityName: destination, inverseName: inverse, isToMany: true,
            isOptional: true, isOrdered: isOrdered, deleteRule: deleteRule, allowedCount: allowedCount,
            renamingIdentifier: renamingIdentifier)
    }

    /// Describes a relationship of either kind. One to many that must lead somewhere leads to one object at
    /// least.
    init(
        name: String, destinationEntityName: String, inverseName: String?, isToMany: Bool, isOptional: Bool,
        isOrdered: Bool, deleteRule: DeleteRule, allowedCount: ClosedRange<Int>?, renamingIdentifier: String?
    ) {
        self.name = name
        self.destinationEntityName = destinationEntityName
        self.inverseName = inverseName
        self.isToMany = isToMany
        self.isOptional = isToMany || isOptional
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
        self.allowedCount =
            isToMany && !isOptional ? (allowedCount ?? 0...(.max)).clamped(to: 1...(.max)) : allowedCount
        self.renamingIdentifier = renamingIdentifier
    }

    /// The same relationship with an inverse, for the side that did not declare one.
    func withInverse(_ inverse: String) -> Self {
        Self(
            name: name, destinationEntityName: destinationEntityName, inverseName: inverse,
            isToMany: isToMany, isOptional: isOptional, isOrdered: isOrdered, deleteRule: deleteRule,
            allowedCount: allowedCount, renamingIdentifier: renamingIdentifier)
    }
}
