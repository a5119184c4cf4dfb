import InternalUtilities
import SectionedFetch
import ToolSupport

extension Mapping {
    /// One less than the columns of a table, which has the object's key as well. Source: `SQLITE_MAX_COLUMN`
    /// in SQLite's “Limits”.
    static let maximumPropertyCount = 1_999

    /// Checks that the key is one of the attributes.
    func requireKey() throws(ToolFailure) {
        let names = attributes.map(\.name)
        guard let key, !names.contains(key) else { return }
        throw ToolFailure(
            "The key “\(key)” is none of the mapping's attributes. \(NearestName.suggestion(for: key, among: names)) If nothing tells rows apart, say --no-key."
        )
    }

    /// The model that a store of these rows needs: what the store has, with an entity for the rows and one
    /// for each relationship's other end where they are new. Nil if the store has all.
    ///
    /// - Throws: `ObjectStorageError` or ``ToolFailure``, naming what contradicts itself.
    func model(beside known: ManagedObjectModel?) throws -> ManagedObjectModel? {
        for relationship in relationships where relationship.entity == entity {
            throw ToolFailure(
                "The relationship “\(relationship.name)” must lead to another entity than “\(entity)”.")
        }
        guard known?.entity(named: entity) == nil else { return nil }
        let count = attributes.count + relationships.count
        guard count <= Self.maximumPropertyCount else {
            throw ToolFailure(
                "“\(entity)” would have \(Quantity.count(count)) attributes and relationships, and a store holds \(Quantity.count(Self.maximumPropertyCount)). Leave columns out: by --ignore, or by a mapping that has only those that are wanted."
            )
        }
        var others: [String: EntityDescription] = [:]
        var order: [String] = []
        var inverses: [String?] = []
        for relationship in relationships {
            if let entity = known?.entity(named: relationship.entity) {
                try requireName(relationship, in: entity)
                // An entity of the store stays as it is, so there is no way back from it.
                inverses.append(nil)
                continue
            }
            inverses.append(relationship.inverse)
            let other = others[relationship.entity]
            if let attribute = other?.attributes.first, attribute.name != relationship.attribute {
                throw ToolFailure(
                    "“\(relationship.entity)” would be found by “\(attribute.name)” and, for “\(relationship.name)”, by “\(relationship.attribute)”. Name one attribute in both, or two entities."
                )
            }
            if other == nil { order.append(relationship.entity) }
            others[relationship.entity] = EntityDescription(
                name: relationship.entity,
                attributes: other?.attributes ?? [
                    AttributeDescription(name: relationship.attribute, type: .string, isUnique: true)
                ],
                relationships: (other?.relationships ?? [])
                    + [.toMany(relationship.inverse, to: entity, inverse: relationship.name)])
        }
        let main = EntityDescription(
            name: entity,
            attributes: attributes.map {
                AttributeDescription(
                    name: $0.name, type: $0.type, isOptional: $0.isOptional && $0.name != key,
                    isIndexed: $0.isIndexed, isUnique: $0.name == key)
            },
            relationships: zip(relationships, inverses).map {
                .toOne($0.name, to: $0.entity, inverse: $1)
            })
        return try ManagedObjectModel(
            entities: (known?.entities ?? []) + [main] + order.compactMap { others[$0] })
    }

    /// Checks that objects of an entity of the store can be found by their names.
    func requireName(_ relationship: Relationship, in entity: EntityDescription) throws(ToolFailure) {
        guard let attribute = entity.attribute(named: relationship.attribute) else {
            throw ToolFailure(
                "“\(entity.name)” of the store has no attribute “\(relationship.attribute)”, by which “\(relationship.name)” would find its objects. "
                    + NearestName.suggestion(
                        for: relationship.attribute, among: entity.attributes.map(\.name)))
        }
        guard attribute.type == .string, attribute.isUnique || attribute.isIndexed else {
            let type = attribute.type == .string ? "" : " --type \(attribute.name)=string"
            throw ToolFailure(
                "“\(entity.name).\(attribute.name)” of the store is no text with an index, so “\(relationship.name)” cannot find its objects by it. Name another attribute, or import “\(entity.name)” into a new store with --key \(attribute.name)\(type)."
            )
        }
    }
}
