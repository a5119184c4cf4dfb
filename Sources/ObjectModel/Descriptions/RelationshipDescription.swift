/// One relationship of an entity: to one object, or to many, with its inverse on the other side.
public struct RelationshipDescription: Hashable, Sendable {
    /// The effect of deleting an object on the objects to which its relationship leads.
    public enum DeleteRule: String, Hashable, Sendable, Codable {
        /// The related objects stay, and their references to the deleted object are cleared.
        case nullify
        /// The related objects are deleted as well.
        case cascade
        /// The deletion is refused while the relationship leads to any object.
        case deny
        /// No effect: the references of the related objects stay, and reading one throws an error for a
        /// missing object.
        case noAction
    }

    /// The name; for a to-one relationship also the name of the SQLite column, which holds the other object's
    /// key.
    public let name: String
    /// The entity at the other end.
    public let destinationEntityName: String
    /// The relationship of the destination that leads back, if any.
    public let inverseName: String?
    /// Whether the relationship may lead to any number of objects.
    public let isToMany: Bool
    /// Whether the relationship may lead to no object. Always true for to-many relationships.
    public let isOptional: Bool
    /// Whether a to-many relationship preserves the order of its objects.
    public let isOrdered: Bool
    /// The effect of deleting this object on the objects at the other end.
    public let deleteRule: DeleteRule
    /// The bounds on the number of objects of a to-many relationship when the object is saved; nil for none.
    public let allowedCount: ClosedRange<Int>?
    /// The relationship's name in an earlier version of the model, if it was a different one.
    public let renamingIdentifier: String?

    /// Describes a to-one relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - destination: The name of the entity at the other end.
    ///   - inverse: The relationship of the destination that leads back; nil if the destination names the
    ///     inverse, or if there is none.
    ///   - isOptional: Whether the relationship may lead to no object.
    ///   - deleteRule: The effect of deleting an object on the object at the other end.
    ///   - renamingIdentifier: The relationship's name in the model with which existing stores were made; nil
    ///     if it is unchanged.
    public static func toOne(
        _ name: String, to destination: String, inverse: String? = nil, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil
    ) -> Self {
        Self(
            name: name, destinationEntityName: destination, inverseName: inverse, isToMany: false,
            isOptional: isOptional, isOrdered: false, deleteRule: deleteRule, allowedCount: nil,
            renamingIdentifier: renamingIdentifier)
    }

    /// Describes a to-many relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - destination: The name of the entity at the other end.
    ///   - inverse: The relationship of the destination that leads back; nil if the destination names the
    ///     inverse, or if there is none.
    ///   - isOrdered: Whether the order of the objects is preserved.
    ///   - deleteRule: The effect of deleting an object on the objects at the other end.
    ///   - allowedCount: The bounds on the number of objects when the object is saved; nil for none.
    ///   - renamingIdentifier: The relationship's name in the model with which existing stores were made; nil
    ///     if it is unchanged.
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

    /// Describes a relationship of either kind. A to-many relationship that is not optional leads to at least
    /// one object.
    package init(
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

    /// Returns the same relationship with an inverse, for the side that did not declare one.
    package func withInverse(_ inverse: String) -> Self {
        Self(
            name: name, destinationEntityName: destinationEntityName, inverseName: inverse,
            isToMany: isToMany, isOptional: isOptional, isOrdered: isOrdered, deleteRule: deleteRule,
            allowedCount: allowedCount, renamingIdentifier: renamingIdentifier)
    }
}
