import InternalUtilities

/// The shape of one kind of object: its attributes and relationships.
///
/// An entity is one SQLite table of the same name, with `objectID INTEGER PRIMARY KEY` and a column for each
/// attribute and to-one relationship; or a table that somebody else made, see ``existingTable``. Entities
/// that inherit from each other are in one table together, which has the name of the entity without a parent.
public struct EntityDescription: Sendable {
    /// The name, also of the SQLite table.
    public let name: String
    /// The name of the entity that it inherits from, if it does.
    public let parentName: String?
    /// Whether it has no objects of its own, but only those of the entities that inherit from it.
    public let isAbstract: Bool
    /// The attributes in the order of declaration; in a model those that it inherits come first.
    public let attributes: [AttributeDescription]
    /// The relationships in the order of declaration; in a model those that it inherits come first.
    public let relationships: [RelationshipDescription]
    /// The lists of properties of which no two objects may have the same values together, also of
    /// sub-entities.
    public let uniquenessConstraints: [[String]]
    /// The lists of properties over which an SQLite index is kept, beside those of single attributes.
    public let indexes: [[String]]
    /// The name that the entity had in an earlier version of the model, if that was another.
    public let renamingIdentifier: String?
    /// The attributes that rows have: all but the transient ones.
    public let storedAttributes: [AttributeDescription]
    /// The to-one relationships, each of which is a column.
    public let toOneRelationships: [RelationshipDescription]
    /// The to-one relationships whose inverses are ordered: each has a column for the place in that order.
    let orderedToOneNames: [String]
    /// The class of the objects; nil for an entity without a typed class.
    package let objectClass: (any EntityClass.Type)?
    /// Somebody else's table that the rows are in; nil, as usual, for a table of the store's own.
    public var existingTable: ExistingTable? { mapping?.table }
    /// The same behind a reference: dictionaries within an entity would have their types made when a program
    /// starts.
    let mapping: TableMapping?
    /// What the model says of the entities in the same table; nil for one that is alone in it.
    let hierarchy: EntityHierarchy?

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
        storedAttributes =
            attributes.contains(where: \.isTransient) ? attributes.filter { !$0.isTransient } : attributes
        toOneRelationships = relationships.filter { !$0.isToMany }
    }

    /// The same entity with what a model adds to it.
    init(
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
    }

    /// The attribute called `name`, if there is one.
    public func attribute(named name: String) -> AttributeDescription? {
        attributes.first { $0.name == name }
    }

    /// The relationship called `name`, if there is one.
    public func relationship(named name: String) -> RelationshipDescription? {
        relationships.first { $0.name == name }
    }

    /// The names of the properties that have a column: stored attributes, then to-one relationships.
    package var columnPropertyNames: [String] {
        storedAttributes.map(\.name) + toOneRelationships.map(\.name)
    }

    /// The names of what an object's slots hold: the properties that have a column, then the orders of
    /// inverses.
    package var slotNames: [String] {
        let names = columnPropertyNames
        return orderedToOneNames.isEmpty ? names : names + orderedToOneNames.map(Self.orderColumnName)
    }

    /// The name of what holds a place in the order of a to-one relationship's inverse, which no property can
    /// have.
    static func orderColumnName(ofToOneNamed name: String) -> String { name + ".position" }

    /// The error for a property that does not exist, with the sub-entity that has it or the nearest name; or
    /// for one of the other kind than is asked for.
    func unknownProperty(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            .unknownProperty, otherKind(ofPropertyNamed: name) ?? absence(ofPropertyNamed: name),
            entityName: self.name, propertyName: name)
    }

    private func otherKind(ofPropertyNamed name: String) -> String? {
        if relationship(named: name) != nil {
            return
                "“\(self.name).\(name)” is a relationship and has no value. Use setRelatedObject(_:forRelationship:) or setRelatedObjects(_:forRelationship:)."
        }
        guard attribute(named: name) != nil else { return nil }
        return "“\(self.name).\(name)” is an attribute and leads nowhere. Use value(forProperty:)."
    }

    private func absence(ofPropertyNamed name: String) -> String {
        let owner = hierarchy?.descendants.first { $0.propertyNames.contains(name) }
        return "Entity “\(self.name)” has no property “\(name)”. "
            + (owner.map { "Its sub-entity “\($0.name)” has it; make the request for that." }
                ?? NearestName.suggestion(
                    for: name, among: attributes.map(\.name) + relationships.map(\.name)))
    }
}
