/// What an entity knows of the entities that it shares a table with, because it inherits from them or they
/// from it.
final class EntityHierarchy: Sendable {
    /// An entity that inherits, and what it declares itself.
    struct Descendant: Sendable {
        let name: String
        let propertyNames: [String]
    }

    /// The entity without a parent, whose name the table has.
    let rootName: String
    /// All entities of the model that have rows in the table, the root first.
    let memberNames: [String]
    /// The entities that the entity inherits from, the nearest first.
    let ancestorNames: [String]
    /// The entities that inherit from it, directly or not, in the order of the model.
    let descendants: [Descendant]
    /// How many of the entity's attributes, which come first, are inherited.
    let inheritedAttributeCount: Int
    /// How many of the entity's relationships, which come first, are inherited.
    let inheritedRelationshipCount: Int
    /// For each relationship of the entity the name of the entity that declares it.
    let relationshipOwners: [String]

    init(
        rootName: String, memberNames: [String], ancestorNames: [String] = [],
        descendants: [Descendant] = [], inheritedAttributeCount: Int = 0,
        inheritedRelationshipCount: Int = 0, relationshipOwners: [String]
    ) {
        self.rootName = rootName
        self.memberNames = memberNames
        self.ancestorNames = ancestorNames
        self.descendants = descendants
        self.inheritedAttributeCount = inheritedAttributeCount
        self.inheritedRelationshipCount = inheritedRelationshipCount
        self.relationshipOwners = relationshipOwners
    }
}
