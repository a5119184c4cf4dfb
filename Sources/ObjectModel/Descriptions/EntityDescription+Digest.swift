import Crypto

extension EntityDescription {
    /// A digest of everything about the entity that decides what its data mean: 32 bytes of SHA-256.
    ///
    /// It is equal for equal descriptions on every machine and in every run, and does not depend on the order
    /// of declaration, on indexes, or on rules for values: these change no answer. What an entity inherits
    /// and who inherits from it is known to the model's entities alone: ask those.
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public var versionDigest: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.append("entity/1")
        encoder.append(name)
        for attribute in attributes.sorted(by: { $0.name < $1.name }) {
            // A transient attribute is in no row.
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
