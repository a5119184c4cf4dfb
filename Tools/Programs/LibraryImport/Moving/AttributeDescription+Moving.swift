import SectionedFetch

extension AttributeDescription {
    /// Returns the attribute with other properties. A rule or default that the type cannot have is dropped,
    /// and so is the derivation, because a moved value must stay.
    func changed(
        name: String? = nil, type: AttributeType? = nil, isOptional: Bool? = nil, isUnique: Bool? = nil,
        rules: [ValidationRule]? = nil
    ) -> Self {
        let type = type ?? self.type
        let isBytes = [.binaryData, .transformable].contains(type)
        let isUnique = isUnique ?? self.isUnique
        return Self(
            name: name ?? self.name, type: type, isOptional: isOptional ?? self.isOptional,
            isIndexed: isIndexed || self.isUnique && !isUnique, isUnique: isUnique, isTransient: isTransient,
            allowsExternalStorage: allowsExternalStorage && isBytes,
            defaultValue: type.accepts(defaultValue) ? defaultValue : .null,
            transformerName: type == .transformable ? transformerName : nil,
            rules: (rules ?? self.rules).filter { $0.applies(to: type) },
            renamingIdentifier: renamingIdentifier)
    }
}

extension AttributeType {
    /// The types that hold all values of this type and others, the nearest first.
    var widerTypes: [AttributeType] {
        switch self {
        case .boolean: [.integer16, .integer32, .integer64]
        case .integer16: [.integer32, .integer64]
        case .integer32: [.integer64]
        case .float: [.double]
        case .uri, .decimal: [.string]
        case .uuid: [.binaryData]
        default: []
        }
    }
}

extension StoredRow {
    /// Returns the values as the attributes of a new store hold them. A value that its attribute cannot hold
    /// becomes null.
    ///
    /// - Parameter entity: The entity of the new store, with the same slots.
    /// - Returns: The values, and the slots of the values that do not fit.
    func fitted(to entity: EntityDescription) -> (values: [StoredValue], misfits: [Int]) {
        var values = values
        var misfits: [Int] = []
        let attributes = entity.storedAttributes
        for slot in values.indices {
            let fits =
                if slot < attributes.count {
                    attributes[slot].type.accepts(values[slot])
                } else if case .integer = values[slot] { true } else {
                    // Positions may be numbers of any kind; keys are integers.
                    values[slot].isNull || slot >= attributes.count + entity.toOneRelationships.count
                }
            guard !fits else { continue }
            values[slot] = .null
            misfits.append(slot)
        }
        return (values, misfits)
    }
}
