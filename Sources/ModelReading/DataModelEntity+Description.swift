import Foundation
import ObjectStorage

extension DataModelEntity {
    /// Returns the description of the entity.
    ///
    /// - Throws: ``ObjectStorageError`` for unsupported or invalid attributes and relationships.
    func description() throws(ObjectStorageError) -> EntityDescription {
        var attributes: [AttributeDescription] = []
        for element in self.attributes { attributes.append(try attribute(element)) }
        var relationships: [RelationshipDescription] = []
        for element in self.relationships { relationships.append(try relationship(element)) }
        let single = Set(indexes.filter { $0.count == 1 }.map { $0[0] })
        let unique = Set(uniquenessConstraints.filter { $0.count == 1 }.map { $0[0] })
        return EntityDescription(
            name: name, parentName: element["parentEntity"], isAbstract: element.flag("isAbstract"),
            attributes: attributes.map { attribute in
                AttributeDescription(
                    name: attribute.name, type: attribute.type, isOptional: attribute.isOptional,
                    isIndexed: attribute.isIndexed || single.contains(attribute.name),
                    isUnique: unique.contains(attribute.name), isTransient: attribute.isTransient,
                    allowsExternalStorage: attribute.allowsExternalStorage,
                    defaultValue: attribute.defaultValue, transformerName: attribute.transformerName,
                    rules: attribute.rules, renamingIdentifier: attribute.renamingIdentifier)
            },
            relationships: relationships,
            uniquenessConstraints: uniquenessConstraints.filter { $0.count > 1 || inherits($0) },
            indexes: indexes.filter { $0.count > 1 || inherits($0) },
            renamingIdentifier: element["elementID"])
    }

    /// Returns whether the entity declares none of the properties in a list.
    private func inherits(_ list: [String]) -> Bool {
        !list.contains { name in (attributes + relationships).contains { $0["name"] == name } }
    }

    private func attribute(_ element: Element) throws(ObjectStorageError) -> AttributeDescription {
        let name = element["name"] ?? ""
        if let derivation = element["derivationExpression"] {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(element.line): attribute “\(self.name).\(name)” is derived from “\(derivation)”, which this library does not support. Use the expression in predicates and sort descriptors, or make it an attribute that the program sets.",
                entityName: self.name, propertyName: name)
        }
        let type = try type(of: element, name)
        // The bounds of a string are numbers of characters.
        let boundType = type == .string ? .integer64 : type
        var rules: [ValidationRule] = []
        if let text = element["minValueString"] {
            rules.append(.minimum(try value(of: text, as: boundType, name, element)))
        }
        if let text = element["maxValueString"] {
            rules.append(.maximum(try value(of: text, as: boundType, name, element)))
        }
        let dates = [
            ("minDateTimeInterval", ValidationRule.minimum), ("maxDateTimeInterval", ValidationRule.maximum),
        ]
        .compactMap { key, rule in element[key].flatMap(Double.init).map { rule(.real($0)) } }
        let patterns = element["regularExpressionString"].map { [ValidationRule.pattern($0)] } ?? []
        var defaultValue = StoredValue.null
        if let text = element["defaultValueString"] {
            defaultValue = try value(of: text, as: type, name, element)
        } else if let seconds = element["defaultDateTimeInterval"].flatMap(Double.init) {
            defaultValue = .real(seconds)
        }
        return AttributeDescription(
            name: name, type: type, isOptional: element.flag("optional"), isIndexed: element.flag("indexed"),
            isTransient: element.flag("transient"),
            allowsExternalStorage: element.flag("allowsExternalBinaryDataStorage"),
            defaultValue: defaultValue,
            transformerName: type == .transformable ? element["valueTransformerName"] : nil,
            rules: rules + dates + patterns, renamingIdentifier: element["elementID"])
    }

    private func type(of element: Element, _ name: String) throws(ObjectStorageError) -> AttributeType {
        let types: [String: AttributeType] = [
            "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
            "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
            "Binary": .binaryData, "Binary Data": .binaryData, "UUID": .uuid, "URI": .uri,
            "Transformable": .transformable,
        ]
        let written = element["attributeType"] ?? ""
        guard let type = types[written] else {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(element.line): attribute “\(self.name).\(name)” has the unknown type “\(written)”.",
                entityName: self.name, propertyName: name)
        }
        return type
    }

    /// Returns the value of a text in the format of Apple's model editor.
    private func value(
        of text: String, as type: AttributeType, _ name: String, _ element: Element
    ) throws(ObjectStorageError) -> StoredValue {
        let value: StoredValue? =
            switch type {
            case .string, .uri, .decimal: type.normalized(.text(text))
            case .integer16, .integer32, .integer64: Int64(text).map(StoredValue.integer)
            case .boolean: ["YES": 1, "NO": 0, "1": 1, "0": 0][text].map(StoredValue.integer)
            case .double, .date: Double(text).map(StoredValue.real)
            case .float: Float(text).map { .real(Double($0)) }
            case .uuid: UUID(uuidString: text)?.storedValue
            case .binaryData, .transformable: nil
            }
        guard let value, type.accepts(value) else {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(element.line): “\(text)” is not a valid value of the attribute “\(self.name).\(name)”, which is of type \(type.rawValue).",
                entityName: self.name, propertyName: name)
        }
        return value
    }

    private func relationship(_ element: Element) throws(ObjectStorageError) -> RelationshipDescription {
        let name = element["name"] ?? ""
        let rules: [String: RelationshipDescription.DeleteRule] = [
            "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
        ]
        let written = element["deletionRule"] ?? "Nullify"
        guard let rule = rules[written], let destination = element["destinationEntity"] else {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(element.line): relationship “\(self.name).\(name)” has no destination, or the unknown deletion rule “\(written)”.",
                entityName: self.name, propertyName: name)
        }
        let inverse = element["inverseName"]
        guard element.flag("toMany") else {
            return .toOne(
                name, to: destination, inverse: inverse, isOptional: element.flag("optional"),
                deleteRule: rule,
                renamingIdentifier: element["elementID"])
        }
        let least = element.flag("optional") ? 0 : max(1, element["minCount"].flatMap(Int.init) ?? 1)
        let most = element["maxCount"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? .max
        return .toMany(
            name, to: destination, inverse: inverse, isOrdered: element.flag("ordered"), deleteRule: rule,
            allowedCount: least == 0 && most == .max ? nil : min(least, most)...most,
            renamingIdentifier: element["elementID"])
    }
}
