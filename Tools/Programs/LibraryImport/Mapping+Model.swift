import InternalUtilities
import SectionedFetch
import ToolSupport

extension Mapping {
    /// The number of columns of an SQLite table, less one for the object's key. Source: `SQLITE_MAX_COLUMN`
    /// in SQLite's “Limits”.
    static let maximumPropertyCount = 1_999

    /// Checks that the key is an attribute of the mapping.
    func requireKey() throws(ToolFailure) {
        let names = attributes.map(\.name)
        guard let key, !names.contains(key) else { return }
        throw ToolFailure(
            "The key “\(key)” is not an attribute of the mapping. \(NearestName.suggestion(for: key, among: names)) If the rows have no key, pass --no-key."
        )
    }

    /// Returns the store's model with the entities that the mapping adds, or nil if the store has the entity
    /// of the rows.
    ///
    /// The added entities are one for the rows, and one for the destination of each relationship that the
    /// store does not have.
    ///
    /// - Throws: `ObjectStorageError`, or ``ToolFailure`` that names the contradiction in the mapping.
    func model(beside known: ManagedObjectModel?) throws -> ManagedObjectModel? {
        for relationship in relationships where relationship.entity == entity {
            let attribute = attributes.first { $0.name == relationship.attribute }
            guard known?.entity(named: entity) != nil || attribute?.type == .string && attribute?.name == key
            else {
                throw ToolFailure(
                    "The relationship “\(relationship.name)” leads to “\(entity)” itself, so it needs the key, a string attribute: --relationship \"\(relationship.name):\(relationship.column)=\(entity).KEY\" --key KEY --type KEY=string."
                )
            }
        }
        guard known?.entity(named: entity) == nil else { return nil }
        let count = attributes.count + relationships.count + arrayColumns.count
        guard count <= Self.maximumPropertyCount else {
            throw ToolFailure(
                "“\(entity)” would have \(Quantity.count(count)) attributes and relationships; a store holds at most \(Quantity.count(Self.maximumPropertyCount)). Leave columns out with --ignore, or pass a mapping with fewer columns."
            )
        }
        var others: [String: EntityDescription] = [:]
        var order: [String] = []
        var inverses: [String?] = []
        var own: [RelationshipDescription] = []
        for relationship in relationships {
            if relationship.entity == entity {
                inverses.append(relationship.inverse)
                own.append(.toMany(relationship.inverse, to: entity, inverse: relationship.name))
                continue
            }
            if let entity = known?.entity(named: relationship.entity) {
                try requireName(relationship, in: entity)
                // An entity of the store is not changed, so it gets no inverse.
                inverses.append(nil)
                continue
            }
            inverses.append(relationship.inverse)
            let other = others[relationship.entity]
            if let attribute = other?.attributes.first, attribute.name != relationship.attribute {
                throw ToolFailure(
                    "“\(relationship.entity)” would be looked up by “\(attribute.name)” and, for “\(relationship.name)”, by “\(relationship.attribute)”. Use one attribute for both relationships, or two entities."
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
        let arrays = try entities(ofArraysBeside: known, others: order)
        let main = EntityDescription(
            name: entity,
            attributes: attributes.map {
                AttributeDescription(
                    name: $0.name, type: $0.type, isOptional: $0.isOptional && $0.name != key,
                    isIndexed: $0.isIndexed, isUnique: $0.name == key)
            },
            relationships: zip(relationships, inverses).map {
                .toOne($0.name, to: $0.entity, inverse: $1)
            } + own + arrays.relationships)
        return try ManagedObjectModel(
            entities: (known?.entities ?? []) + [main] + order.compactMap { others[$0] } + arrays.entities)
    }

    /// Checks that objects of an entity of the store can be looked up by the relationship's attribute.
    func requireName(_ relationship: Relationship, in entity: EntityDescription) throws(ToolFailure) {
        guard let attribute = entity.attribute(named: relationship.attribute) else {
            throw ToolFailure(
                "“\(entity.name)” of the store has no attribute “\(relationship.attribute)”, by which “\(relationship.name)” would look up its objects. "
                    + NearestName.suggestion(
                        for: relationship.attribute, among: entity.attributes.map(\.name)))
        }
        guard attribute.type == .string, attribute.isUnique || attribute.isIndexed else {
            let type = attribute.type == .string ? "" : " --type \(attribute.name)=string"
            throw ToolFailure(
                "“\(entity.name).\(attribute.name)” of the store is not an indexed string attribute, so “\(relationship.name)” cannot look up its objects by it. Choose another attribute, or import “\(entity.name)” into a new store with --key \(attribute.name)\(type)."
            )
        }
    }
}
