/// The entities that share a table because they inherit from each other, described from one of them.
package final class EntityHierarchy: Sendable {
    /// An entity that inherits from the described one, with the properties that it declares itself.
    package struct Descendant: Sendable {
        /// The entity's name.
        package let name: String
        /// The names of the attributes and relationships that the entity itself declares.
        package let propertyNames: [String]
    }

    /// The name of the entity without a parent, which is also the name of the table.
    package let rootName: String
    /// The names of all entities of the model that have rows in the table, the root first.
    package let memberNames: [String]
    /// The names of the entities from which the described entity inherits, the nearest first.
    package let ancestorNames: [String]
    /// The entities that inherit from the described entity, directly or indirectly, in the order of the
    /// model.
    package let descendants: [Descendant]
    /// The number of inherited attributes, which come first in the entity's list.
    package let inheritedAttributeCount: Int
    /// The number of inherited relationships, which come first in the entity's list.
    package let inheritedRelationshipCount: Int
    /// For each relationship of the entity, the name of the entity that declares it.
    package let relationshipOwners: [String]

    /// Creates the description of a hierarchy as seen from one entity.
    package init(
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
