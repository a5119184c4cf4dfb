import SectionedFetch

extension Mapping {
    /// The model that the mapping describes: the entity of the rows, and an entity for each relationship's other end.
    ///
    /// - Throws: ``ObjectStorageError`` or ``ImportError``, naming what contradicts itself.
    func model() throws -> ManagedObjectModel {
        if let key, !attributes.contains(where: { $0.name == key }) {
            throw ImportError("The key “\(key)” is not one of the mapping's attributes.")
        }
        let main = EntityDescription(
            name: entity,
            attributes: attributes.map {
                AttributeDescription(
                    name: $0.name, type: $0.type, isOptional: $0.isOptional && $0.name != key,
                    isIndexed: $0.isIndexed,
                    isUnique: $0.name == key)
            },
            relationships: relationships.map { .toOne($0.name, to: $0.entity, inverse: $0.inverse) })
        var others: [String: EntityDescription] = [:]
        var order: [String] = []
        for relationship in relationships {
            guard relationship.entity != entity else {
                throw ImportError(
                    "The relationship “\(relationship.name)” must lead to another entity than “\(entity)”.")
            }
            let known = others[relationship.entity]
            if known == nil { order.append(relationship.entity) }
            others[relationship.entity] = EntityDescription(
                name: relationship.entity,
                attributes: known?.attributes ?? [
                    AttributeDescription(name: relationship.attribute, type: .string, isUnique: true)
                ],
                relationships: (known?.relationships ?? [])
                    + [.toMany(relationship.inverse, to: entity, inverse: relationship.name)])
        }
        return try ManagedObjectModel(entities: [main] + order.compactMap { others[$0] })
    }

    /// The positions of the mapping's columns in a file.
    ///
    /// - Throws: ``ImportError`` for a column that the file does not have, with the nearest name.
    func columns(in fieldNames: [String]) throws -> (attributes: [Int], relationships: [Int]) {
        func position(_ column: String) throws -> Int {
            if let position = fieldNames.firstIndex(of: column) { return position }
            throw ImportError(
                "The file has no column “\(column)”. It has: \(fieldNames.prefix(50).joined(separator: ", "))."
            )
        }
        return (
            try attributes.map { try position($0.column) }, try relationships.map { try position($0.column) }
        )
    }
}
