import Crypto

extension EntityDescription {
    /// A digest of everything about the entity that determines the meaning of its data: 32 bytes of SHA-256.
    ///
    /// Equal descriptions have equal digests on every machine and in every run. The digest does not depend on
    /// the order in which properties are declared, on indexes, or on rules for values, because these do not
    /// change any result. Inherited properties and sub-entities are included only for an entity of a model;
    /// use the entities of ``ManagedObjectModel/entities``.
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public var versionDigest: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.append("entity/1")
        encoder.append(name)
        for attribute in attributes.sorted(by: { $0.name < $1.name }) {
            // A transient attribute has no column.
            guard !attribute.isTransient else { continue }
            encoder.append(attribute.name)
            encoder.append(attribute.type.rawValue)
            encoder.append(attribute.isOptional)
            encoder.append(attribute.isUnique)
            encoder.append(attribute.defaultValue)
            if let transformer = attribute.transformerName { encoder.append(transformer) }
            if attribute.allowsExternalStorage { encoder.append("external") }
        }
        for relationship in relationships.sorted(by: { $0.name < $1.name }) {
            encoder.append(relationship.name)
            encoder.append(relationship.destinationEntityName)
            encoder.append(relationship.inverseName ?? "")
            encoder.append(relationship.isToMany)
            encoder.append(relationship.isOptional)
            if relationship.isOrdered { encoder.append("ordered") }
        }
        for constraint in uniquenessConstraints {
            encoder.append("unique")
            // The count keeps two constraints apart from one that has a property called “unique”.
            if constraint.contains("unique") { encoder.appendList(count: constraint.count) }
            for name in constraint { encoder.append(name) }
        }
        mapping?.table.encode(into: &encoder)
        if parentName != nil || isAbstract || hasSubentities {
            encoder.append("inheritance")
            encoder.append(parentName ?? "")
            encoder.append(isAbstract)
            for name in subentityNames.sorted() { encoder.append(name) }
        }
        return Array(SHA256.hash(data: encoder.bytes))
    }
}
