import InternalUtilities

/// The description of one kind of object: its attributes and relationships.
///
/// An entity is stored in an SQLite table of the same name, with `objectID INTEGER PRIMARY KEY` and a column
/// for each attribute and to-one relationship; or in an external table of another program, see
/// ``existingTable``. Entities that inherit from each other share one table, which has the name of the entity
/// without a parent.
public struct EntityDescription: Sendable {
    /// The name, also of the SQLite table.
    public let name: String
    /// The name of the entity from which it inherits, if any.
    public let parentName: String?
    /// Whether the entity is abstract: only entities that inherit from it have objects.
    public let isAbstract: Bool
    /// The attributes in the order of declaration; in a model the inherited ones come first.
    public let attributes: [AttributeDescription]
    /// The relationships in the order of declaration; in a model the inherited ones come first.
    public let relationships: [RelationshipDescription]
    /// The lists of properties whose combined values must differ between all objects, including those of
    /// sub-entities.
    public let uniquenessConstraints: [[String]]
    /// The lists of properties that have a combined SQLite index, in addition to the indexes of single
    /// attributes.
    public let indexes: [[String]]
    /// The entity's name in an earlier version of the model, if it was a different one.
    public let renamingIdentifier: String?
    /// The attributes that have a column: all except the transient ones.
    public let storedAttributes: [AttributeDescription]
    /// The to-one relationships, each of which is a column.
    public let toOneRelationships: [RelationshipDescription]
    /// The to-one relationships whose inverses are ordered: each has a column for the position in that order.
    package let orderedToOneNames: [String]
    /// The class of the objects; nil for an entity without a typed class.
    package let objectClass: (any EntityClass.Type)?
    /// The external table that holds the rows; nil for a table that the store makes itself, as usual.
    public var existingTable: ExistingTable? { mapping?.table }
    /// The mapping behind ``existingTable``, stored by reference: dictionaries inside an entity would need
    /// their types instantiated at program start.
    package let mapping: TableMapping?
    /// The model's description of the entities in the same table; nil for an entity that is alone in it.
    package let hierarchy: EntityHierarchy?
    /// The union whose objects and shared properties this entity has; nil for an entity of a model.
    package let union: EntityUnion?

    /// Describes an entity with the class of its objects, or without a typed class.
    package init(
        name: String, parentName: String?, isAbstract: Bool,
        attributes: [AttributeDescription], relationships: [RelationshipDescription],
        uniquenessConstraints: [[String]], indexes: [[String]], renamingIdentifier: String?,
        objectClass: (any EntityClass.Type)?, existingTable: ExistingTable?
    ) {
        self.name = name
        self.parentName = parentName
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.objectClass = objectClass
        mapping = existingTable.map(TableMapping.init)
        orderedToOneNames = []
        hierarchy = nil
        union = nil
        storedAttributes =
            attributes.contains(where: \.isTransient) ? attributes.filter { !$0.isTransient } : attributes
        toOneRelationships = relationships.filter { !$0.isToMany }
    }

    /// Copies an entity and adds the parts that a model supplies.
    package init(
        _ entity: Self, attributes: [AttributeDescription], relationships: [RelationshipDescription],
        orderedToOneNames: [String], hierarchy: EntityHierarchy?
    ) {
        name = entity.name
        parentName = entity.parentName
        isAbstract = entity.isAbstract
        self.attributes = attributes
        self.relationships = relationships
        uniquenessConstraints = entity.uniquenessConstraints
        indexes = entity.indexes
        renamingIdentifier = entity.renamingIdentifier
        objectClass = entity.objectClass
        mapping = entity.mapping
        storedAttributes =
            attributes.count == entity.attributes.count
            ? entity.storedAttributes : attributes.filter { !$0.isTransient }
        toOneRelationships = relationships.filter { !$0.isToMany }
        self.orderedToOneNames = orderedToOneNames
        self.hierarchy = hierarchy
        union = nil
    }

    /// Describes entities that are listed together, by the stored attributes and to-one relationships that
    /// are identical in all of them.
    package init(unionOf members: [EntityDescription], named name: String) {
        let others = members.dropFirst()
        let first = members[0]
        self.name = name
        parentName = nil
        isAbstract = true
        attributes = first.storedAttributes.filter { attribute in
            others.allSatisfy { other in
                other.storedAttributes.contains {
                    $0.name == attribute.name && $0.type == attribute.type
                        && $0.allowsExternalStorage == attribute.allowsExternalStorage
                }
            }
        }
        relationships = first.toOneRelationships.filter { relationship in
            others.allSatisfy { other in
                other.toOneRelationships.contains {
                    $0.name == relationship.name
                        && $0.destinationEntityName == relationship.destinationEntityName
                }
            }
        }
        uniquenessConstraints = []
        indexes = []
        renamingIdentifier = nil
        objectClass = nil
        mapping = nil
        hierarchy = nil
        orderedToOneNames = []
        union = EntityUnion(members)
        storedAttributes = attributes
        toOneRelationships = relationships
    }

    /// Returns the attribute called `name`, if any.
    ///
    /// - Parameter name: The name of an attribute of the entity, which may be inherited.
    /// - Complexity: O(*n*) in the number of attributes.
    public func attribute(named name: String) -> AttributeDescription? {
        attributes.first { $0.name == name }
    }

    /// Returns the relationship called `name`, if any.
    ///
    /// - Parameter name: The name of a relationship of the entity, which may be inherited.
    /// - Complexity: O(*n*) in the number of relationships.
    public func relationship(named name: String) -> RelationshipDescription? {
        relationships.first { $0.name == name }
    }

    /// The names of the properties that have a column: stored attributes, then to-one relationships.
    package var columnPropertyNames: [String] {
        storedAttributes.map(\.name) + toOneRelationships.map(\.name)
    }

    /// The names of an object's slots: the properties that have a column, then the positions in ordered
    /// inverses, then the number of changes of a row whose table counts them.
    package var slotNames: [String] {
        var names = columnPropertyNames
        if !orderedToOneNames.isEmpty { names += orderedToOneNames.map(Self.orderColumnName) }
        if rowRules != nil { names.append(Self.versionSlotName) }
        return names
    }

    /// Returns the name of the slot that holds the position in the ordered inverse of a to-one relationship.
    /// No property can have this name.
    package static func orderColumnName(ofToOneNamed name: String) -> String { name + ".position" }

    /// Returns the error for a property that does not exist, with the sub-entity that has it or the nearest
    /// name; or for a relationship where an attribute was expected, or the reverse.
    package func unknownProperty(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            .unknownProperty, otherKind(ofPropertyNamed: name) ?? absence(ofPropertyNamed: name),
            entityName: self.name, propertyName: name)
    }

    private func otherKind(ofPropertyNamed name: String) -> String? {
        if relationship(named: name) != nil {
            return
                "“\(self.name).\(name)” is a relationship, not an attribute. Use setRelatedObject(_:forRelationship:) or setRelatedObjects(_:forRelationship:)."
        }
        guard attribute(named: name) != nil else { return nil }
        return "“\(self.name).\(name)” is an attribute, not a relationship. Use value(forProperty:)."
    }

    private func absence(ofPropertyNamed name: String) -> String {
        if let reason = absence(fromUnionOf: name) { return reason }
        let owner = hierarchy?.descendants.first { $0.propertyNames.contains(name) }
        return "Entity “\(self.name)” has no property “\(name)”. "
            + (owner.map { "Its sub-entity “\($0.name)” has it; use that entity in the request." }
                ?? NearestName.suggestion(
                    for: name, among: attributes.map(\.name) + relationships.map(\.name)))
    }
}
