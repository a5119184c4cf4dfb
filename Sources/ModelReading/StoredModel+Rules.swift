import ObjectStorage

extension StoredModel {
    /// The rules of a model that matter only when objects are saved, by entity, without inherited ones. The
    /// bounds and patterns of attributes are parts of their descriptions.
    package struct Rules: Sendable {
        /// The lists of properties whose combined values must differ.
        package var uniquenessConstraints: [String: [[String]]] = [:]
        /// The attributes whose values the store computes.
        package var derivedAttributes: [String: Set<String>] = [:]
        /// The attributes whose values a history of changes keeps when an object is deleted.
        package var preservedAttributes: [String: Set<String>] = [:]
        /// The reasons why rules of attributes cannot be checked, by attribute.
        package var uncheckedRules: [String: [String: String]] = [:]

        init(of contents: DataModelContents) {
            for entity in contents.entities {
                let name = entity.name
                uniquenessConstraints[name] = entity.uniquenessConstraints
                derivedAttributes[name] = Set(
                    entity.attributes.filter { $0["derivationExpression"] != nil }.compactMap { $0["name"] })
                for part in entity.unsupportedParts {
                    guard let property = part.propertyName else { continue }
                    switch part.kind {
                    case .preservedValue: preservedAttributes[name, default: []].insert(property)
                    case .validationPredicate: uncheckedRules[name, default: [:]][property] = part.part
                    default: break
                    }
                }
            }
        }
    }
}
