import SectionedFetch
import ToolSupport

/// The model of a new store, and the tables that are filled one after the other.
struct MovePlan {
    /// A table of the new store.
    enum Table {
        /// The objects of an entity and its sub-entities.
        case objects(EntityDescription)
        /// The pairs of a relationship.
        case links(RelationshipDescription, EntityDescription)

        /// Returns the tables of a model in the order in which they are filled.
        static func all(of model: ManagedObjectModel) -> [Self] {
            model.entities.filter { $0.parentName == nil }.map(Self.objects)
                + model.entities.flatMap { entity in
                    entity.ownRelationships.compactMap { relationship in
                        guard model.linkEnd(of: relationship, in: entity)?.isForward == true else {
                            return nil
                        }
                        return .links(relationship, entity)
                    }
                }
        }
    }

    /// The model of the new store. Its entities have the slots of those of the source.
    let model: ManagedObjectModel
    /// The changes of the model that the rows or the names of the source require.
    private(set) var changes: [String]
    /// The names of relationships in the source, by entity and their names in the new store.
    private var sourceNames: [String: [String: String]] = [:]
    /// The tables in the order in which they are filled.
    let tables: [Table]

    /// Plans a store.
    ///
    /// - Throws: ``ToolFailure`` if the entities cannot be in one store.
    init(_ survey: RuleSurvey) throws {
        changes = survey.relaxations
        var entities = survey.entities
        var found: ManagedObjectModel?
        for _ in 0..<Self.maximumChanges {
            do throws(ObjectStorageError) {
                found = try ManagedObjectModel(entities: entities)
                break
            } catch {
                guard let change = Self.mend(&entities, after: error) else {
                    throw ToolFailure("A new store cannot use this model. \(error.message)")
                }
                changes.append(change.note)
                if let (entity, old, new) = change.renaming {
                    sourceNames[entity, default: [:]][new] = sourceNames[entity]?[old] ?? old
                }
            }
        }
        guard let found else {
            throw ToolFailure(
                "The model has more than \(Self.maximumChanges) parts that a new store cannot have. Nothing was moved."
            )
        }
        model = found
        tables = Table.all(of: found)
    }

    /// Creates a plan with the model of a store of the library, as it is.
    init(keeping model: ManagedObjectModel) {
        self.model = model
        changes = []
        tables = Table.all(of: model)
    }

    private static let maximumChanges = 1_000

    /// Returns the relationship of the source that a relationship of the new store is a copy of.
    func sourceRelationship(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) -> RelationshipDescription {
        relationship.renamed(
            sourceNames[entity.name]?[relationship.name] ?? relationship.name,
            inverse: relationship.inverseName.map {
                sourceNames[relationship.destinationEntityName]?[$0] ?? $0
            })
    }
}

extension MovePlan {
    private typealias Change = (note: String, renaming: (entity: String, old: String, new: String)?)

    /// Changes the part of a model that an error names, so that the model is valid for a new store.
    ///
    /// - Returns: The change; nil if the error names no part that can be changed.
    private static func mend(
        _ entities: inout [EntityDescription], after error: ObjectStorageError
    ) -> Change? {
        guard let name = error.entityName, let start = entities.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        guard let property = error.propertyName,
            let problem = NameProblem(of: property, in: entities[start], entities)
        else {
            return removeRules(from: &entities, at: start, error)
        }
        var position = start
        while !entities[position].declares(property) {
            guard let parent = entities[position].parentName,
                let next = entities.firstIndex(where: { $0.name == parent })
            else { return nil }
            position = next
        }
        let taken = Set(
            entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }.map {
                $0.lowercased()
            })
        var new = property + "_"
        while taken.contains(new.lowercased()) { new += "_" }
        let owner = entities[position].name
        entities = entities.map { $0.renaming(property, of: owner, to: new) }
        return (
            "“\(owner).\(property)” is called “\(new)” in the new store, because \(problem.rawValue).",
            (owner, property, new)
        )
    }

    /// Removes the rules of the attribute, or the constraints and indexes of the entity, that an error names.
    private static func removeRules(
        from entities: inout [EntityDescription], at position: Int, _ error: ObjectStorageError
    ) -> Change? {
        let entity = entities[position]
        let named = entity.attributes.firstIndex { $0.name == error.propertyName }
        var attributes = entity.attributes
        if let named, attributes[named].hasRules {
            attributes[named] = attributes[named].changed(isUnique: false, rules: [])
        } else if entity.uniquenessConstraints.isEmpty, entity.indexes.isEmpty {
            return nil
        }
        entities[position] = EntityDescription(
            name: entity.name, parentName: entity.parentName, isAbstract: entity.isAbstract,
            attributes: attributes, relationships: entity.relationships,
            renamingIdentifier: entity.renamingIdentifier)
        return ("\(error.message) The new store has the entity without this rule.", nil)
    }
}

extension AttributeDescription {
    fileprivate var hasRules: Bool { isUnique || !rules.isEmpty }
}

extension RelationshipDescription {
    /// Returns the relationship with another name and inverse.
    fileprivate func renamed(_ name: String, inverse: String?) -> Self {
        isToMany
            ? .toMany(
                name, to: destinationEntityName, inverse: inverse, isOrdered: isOrdered,
                deleteRule: deleteRule, allowedCount: allowedCount, renamingIdentifier: renamingIdentifier)
            : .toOne(
                name, to: destinationEntityName, inverse: inverse, isOptional: isOptional,
                deleteRule: deleteRule, renamingIdentifier: renamingIdentifier)
    }
}

extension EntityDescription {
    /// Returns whether the entity itself declares a property.
    fileprivate func declares(_ property: String) -> Bool {
        attributes.contains { $0.name == property } || relationships.contains { $0.name == property }
    }

    /// Returns the entity after the renaming of a property, which another entity may declare.
    fileprivate func renaming(_ property: String, of owner: String, to new: String) -> EntityDescription {
        let isOwner = owner == name
        func renamed(_ lists: [[String]]) -> [[String]] {
            isOwner ? lists.map { $0.map { $0 == property ? new : $0 } } : lists
        }
        return EntityDescription(
            name: name, parentName: parentName, isAbstract: isAbstract,
            attributes: attributes.map {
                isOwner && $0.name == property ? $0.changed(name: new) : $0
            },
            relationships: relationships.map { relationship in
                let isInverse =
                    relationship.destinationEntityName == owner && relationship.inverseName == property
                let isRenamed = isOwner && relationship.name == property
                guard isInverse || isRenamed else { return relationship }
                return relationship.renamed(
                    isRenamed ? new : relationship.name,
                    inverse: isInverse ? new : relationship.inverseName)
            },
            uniquenessConstraints: renamed(uniquenessConstraints), indexes: renamed(indexes),
            renamingIdentifier: renamingIdentifier)
    }
}

/// The reason why a property cannot have its name in a store.
private enum NameProblem: String {
    /// The name is reserved.
    case isReserved = "the name is reserved"
    /// Two properties of one table have names that SQLite does not distinguish, and cannot share a column.
    case isShared = "another property differs from it only in upper and lower case, or shares its column"

    /// Finds the problem of the name of a property that an entity declares or inherits; nil if there is none.
    init?(of property: String, in entity: EntityDescription, _ entities: [EntityDescription]) {
        let lowercased = property.lowercased()
        guard !ManagedObjectModel.reservedPropertyNames.contains(lowercased) else {
            self = .isReserved
            return
        }
        func rootName(_ entity: EntityDescription) -> String {
            let parent = entities.first { $0.name == entity.parentName }
            return parent.map(rootName) ?? entity.name
        }
        let family = entities.filter { rootName($0) == rootName(entity) }
        let equals = family.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
            .filter { $0.lowercased() == lowercased }
        // Siblings may each declare an attribute of the same name.
        let isAttribute = family.allSatisfy { $0.relationship(named: property) == nil }
        guard equals.count > 1, Set(equals).count > 1 || !isAttribute else { return nil }
        self = .isShared
    }
}
