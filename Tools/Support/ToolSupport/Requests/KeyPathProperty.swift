package import SectionedFetch

/// The property at the end of a dotted key path, resolved at run time.
package struct KeyPathProperty: Hashable, Sendable {
    /// The kind of a property.
    package enum Kind: Hashable, Sendable {
        /// An attribute of a type.
        case attribute(AttributeType)
        /// A to-one relationship to an entity.
        case toOne(destination: String)
        /// The key of the object itself.
        case objectID

        /// The kind, as the predicate of a sentence.
        var words: String {
            switch self {
            case .attribute(let type): "is of type \(type.rawValue)"
            case .toOne(let destination): "is a relationship to one “\(destination)”"
            case .objectID: "is the object's key"
            }
        }
    }

    /// The key path as it was written.
    package let path: String
    /// The names of the to-one relationships before the last name of the path.
    package let relationshipNames: [String]
    /// The name of the property, the last one of the path.
    package let name: String
    /// The kind of the property.
    package let kind: Kind
    /// Whether the property is one of a list of several entities.
    private let isOfUnion: Bool

    /// Resolves a key path from an entity.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown name, with the nearest one, and for a to-many
    ///   relationship in the path.
    package init(
        _ path: String, of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) {
        guard !path.contains(".@") else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(path)” is an aggregate of related objects, not a property. Use it as an order, as a section key, or in a predicate.",
                entityName: entityName)
        }
        try Self.requireOneValue(path, of: entityName, in: container)
        // The request compiler checks the key path and describes its errors, so the code below can assume a
        // valid path.
        let request = FetchRequest<ManagedObject>(entityName: entityName, predicate: .isNil(path))
        _ = try container.compile(request.description, columns: .keys)
        self.path = path
        let names = path.split(separator: ".").map(String.init)
        relationshipNames = Array(names.dropLast())
        name = names[names.count - 1]
        var entity = try container.model.requireList(named: entityName)
        isOfUnion = entity.union != nil
        for name in relationshipNames {
            guard let relationship = entity.relationship(named: name) else { break }
            entity = try container.model.requireEntity(named: relationship.destinationEntityName)
        }
        if let attribute = entity.attribute(named: name) {
            kind = .attribute(attribute.type)
        } else if let relationship = entity.relationship(named: name) {
            kind = .toOne(destination: relationship.destinationEntityName)
        } else {
            kind = .objectID
        }
    }

    /// Refuses a key path with a to-many relationship, with a message for the command line, whose conditions
    /// cannot express the aggregates and quantifiers of predicates.
    ///
    /// - Throws: ``ObjectStorageError``. The request compiler reports other errors of a key path.
    static func requireOneValue(
        _ path: String, of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) {
        var entity = container.model.list(named: entityName)
        for name in path.split(separator: ".") {
            guard let relationship = entity?.relationship(named: String(name)), let owner = entity else {
                return
            }
            let destination = relationship.destinationEntityName
            guard !relationship.isToMany else {
                let remedy = relationship.inverseName.map { ", whose “\($0)” leads back" } ?? ""
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(path)” does not have a single value: “\(owner.name).\(name)” leads to many objects. List “\(destination)” with --entity instead\(remedy).",
                    entityName: owner.name, propertyName: relationship.name)
            }
            entity = container.model.entity(named: destination)
        }
    }

    /// Returns the value of the property for an object.
    ///
    /// - Throws: ``ObjectStorageError`` if one of the rows along the path cannot be read.
    package func value(for object: ManagedObject) throws(ObjectStorageError) -> StoredValue {
        var object = object
        for name in relationshipNames {
            guard let next = try object.relatedObject(name) else { return .null }
            object = next
        }
        guard kind != .objectID else {
            // Objects of two entities may have the same key.
            if isOfUnion, relationshipNames.isEmpty { return .text("\(object.objectID)") }
            return object.objectID.primaryKey.map(StoredValue.integer) ?? .null
        }
        return try object.value(forProperty: name)
    }
}
