package import SectionedFetch

/// The property that a dotted key path leads to, found when the program runs.
package struct KeyPathProperty: Hashable, Sendable {
    /// What kind of property it is.
    package enum Kind: Hashable, Sendable {
        /// An attribute of a type.
        case attribute(AttributeType)
        /// A to-one relationship to an entity.
        case toOne(destination: String)
        /// The key of the object itself.
        case objectID

        /// What it is, as the end of a sentence.
        var words: String {
            switch self {
            case .attribute(let type): "is of type \(type.rawValue)"
            case .toOne(let destination): "leads to one “\(destination)”"
            case .objectID: "is the object's key"
            }
        }
    }

    /// The key path as it was written.
    package let path: String
    /// The to-one relationships on the way.
    package let relationshipNames: [String]
    /// The property at the end.
    package let name: String
    /// What that is.
    package let kind: Kind

    /// Follows a key path from an entity.
    ///
    /// - Throws: ``ObjectStorageError`` if it leads nowhere, with the nearest name, or through a relationship
    ///   to many.
    package init(
        _ path: String, of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) {
        try Self.requireOneValue(path, of: entityName, in: container)
        // The compiler of requests checks key paths and words what is wrong with one; what follows can rely
        // on it.
        let request = FetchRequest<ManagedObject>(entityName: entityName, predicate: .isNil(path))
        _ = try container.compile(request.description, columns: .keys)
        self.path = path
        let names = path.split(separator: ".").map(String.init)
        relationshipNames = Array(names.dropLast())
        name = names[names.count - 1]
        var entity = try container.model.requireEntity(named: entityName)
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

    /// Refuses a key path through a relationship to many in words that hold for what can be written on a
    /// command line: predicates can ask more of many objects than that.
    ///
    /// - Throws: ``ObjectStorageError``. What else may be wrong with a key path is left to whoever compiles a
    ///   request.
    static func requireOneValue(
        _ path: String, of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) {
        var entity = container.model.entity(named: entityName)
        for name in path.split(separator: ".") {
            guard let relationship = entity?.relationship(named: String(name)), let owner = entity else {
                return
            }
            let destination = relationship.destinationEntityName
            guard !relationship.isToMany else {
                let remedy = relationship.inverseName.map { ", whose “\($0)” leads back" } ?? ""
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(path)” has no one value: “\(owner.name).\(name)” leads to many objects. List “\(destination)” by --entity instead\(remedy).",
                    entityName: owner.name, propertyName: relationship.name)
            }
            entity = container.model.entity(named: destination)
        }
    }

    /// The value of the property for an object.
    ///
    /// - Throws: ``ObjectStorageError`` if a row on the way cannot be read.
    package func value(for object: ManagedObject) throws(ObjectStorageError) -> StoredValue {
        var object = object
        for name in relationshipNames {
            guard let next = try object.relatedObject(name) else { return .null }
            object = next
        }
        guard kind != .objectID else { return object.objectID.primaryKey.map(StoredValue.integer) ?? .null }
        return try object.value(forProperty: name)
    }
}
