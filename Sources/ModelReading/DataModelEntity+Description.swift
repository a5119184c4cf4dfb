import Foundation
import ObjectStorage

extension DataModelEntity {
    /// Returns the derivation of an attribute; nil if there is none, or the store cannot compute it.
    private static func derivation(of element: Element) -> AttributeDerivation? {
        do {
            return try element["derivationExpression"].map { (text) throws(ObjectStorageError) in
                try AttributeDerivation(text)
            }
        } catch {
            return nil
        }
    }

    /// Returns the unsupported part for an attribute whose derivation does not fit the model; nil for any
    /// other attribute.
    ///
    /// - Parameter model: The model without derivations.
    func unsupportedDerivation(
        of attribute: AttributeDescription, in model: ManagedObjectModel
    ) -> UnsupportedModelPart? {
        guard let element = attributes.first(where: { $0["name"] == attribute.name }),
            let derivation = Self.derivation(of: element), let entity = model.entity(named: name),
            let fault = model.fault(of: derivation, for: attribute, in: entity)
        else { return nil }
        return .derivedAttribute(
            element["derivationExpression"] ?? "", attribute.name, of: name, because: fault,
            line: element.line)
    }

    /// Whether any attribute is derived.
    var hasDerivations: Bool { attributes.contains { $0["derivationExpression"] != nil } }

    /// Removes the derived attributes, the constraints and the indexes, and returns the derived attributes
    /// whose expressions the store can compute.
    mutating func removeDerivedAttributes() throws(ObjectStorageError) -> [AttributeDescription] {
        var removed: [AttributeDescription] = []
        for element in attributes where Self.derivation(of: element) != nil {
            removed.append(try attribute(element))
        }
        attributes.removeAll { $0["derivationExpression"] != nil }
        (indexes, uniquenessConstraints) = ([], [])
        return removed
    }

    /// The attributes that the library does not support.
    var unsupportedAttributes: [UnsupportedModelPart] { attributes.compactMap(unsupportedAttribute) }

    /// Returns the description of the entity.
    ///
    /// - Parameters:
    ///   - missing: The names of the attributes, including inherited ones, that the model lacks.
    ///   - unindexable: The names of the properties, including inherited ones, that have no column.
    ///   - parts: Receives the constraints and indexes over these properties, which the description lacks.
    /// - Throws: ``ObjectStorageError`` for invalid attributes and relationships.
    func description(
        without missing: Set<String>, unindexable: Set<String>, _ parts: inout [UnsupportedModelPart]
    ) throws(ObjectStorageError) -> EntityDescription {
        var attributes: [AttributeDescription] = []
        for element in self.attributes where !missing.contains(element["name"] ?? "") {
            attributes.append(try attribute(element))
        }
        var relationships: [RelationshipDescription] = []
        for element in self.relationships { relationships.append(try relationship(element)) }
        let constraints = uniquenessConstraints.filter(missing.isDisjoint)
        let indexes = self.indexes.filter { missing.union(unindexable).isDisjoint(with: $0) }
        parts += uniquenessConstraints.filter { !missing.isDisjoint(with: $0) }.map { list in
            .uniquenessConstraint(list, of: name, line: element.line)
        }
        parts += self.indexes.filter { !missing.union(unindexable).isDisjoint(with: $0) }.map { list in
            .index(over: list, of: name, line: element.line)
        }
        let single = Set(indexes.filter { $0.count == 1 }.map { $0[0] })
        let unique = Set(constraints.filter { $0.count == 1 }.map { $0[0] })
        return EntityDescription(
            name: name, parentName: element["parentEntity"], isAbstract: element.flag("isAbstract"),
            attributes: attributes.map { attribute in
                attribute.indexed(
                    attribute.isIndexed || single.contains(attribute.name),
                    isUnique: unique.contains(attribute.name))
            },
            relationships: relationships,
            uniquenessConstraints: constraints.filter { $0.count > 1 || inherits($0) },
            indexes: indexes.filter { $0.count > 1 || inherits($0) },
            renamingIdentifier: element["elementID"])
    }

    /// Returns whether the entity declares none of the properties in a list. A to-one relationship always has
    /// an index, so a declared one needs none from the list.
    private func inherits(_ list: [String]) -> Bool {
        !list.contains { name in (attributes + relationships).contains { $0["name"] == name } }
    }

    func attribute(_ element: Element) throws(ObjectStorageError) -> AttributeDescription {
        let name = element["name"] ?? ""
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
            rules: rules + dates + patterns, renamingIdentifier: element["elementID"],
            derivation: Self.derivation(of: element))
    }

    /// Returns an attribute as an unsupported part; nil if the attribute is supported or invalid.
    private func unsupportedAttribute(_ element: Element) -> UnsupportedModelPart? {
        let attribute = element["name"] ?? ""
        if let expression = element["derivationExpression"] {
            if let filter = element["derivationFilter"] {
                return .derivedAttribute(
                    expression, attribute, of: name, because: "it has the condition “\(filter)”",
                    line: element.line)
            }
            if Self.derivation(of: element) == nil {
                return .derivedAttribute(
                    expression, attribute, of: name, because: "the store cannot compute the expression",
                    line: element.line)
            }
        }
        switch element["attributeType"] {
        case "Composite": return .compositeAttribute(attribute, of: name, line: element.line)
        case "Undefined", "Object ID", "ObjectID":
            return .attributeType(
                element["attributeType"] ?? "", attribute, of: name, isTransient: element.flag("transient"),
                line: element.line)
        default: return nil
        }
    }

    /// The types by their names in Apple's XML.
    static let types: [String: AttributeType] = [
        "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
        "Binary": .binaryData, "Binary Data": .binaryData, "UUID": .uuid, "URI": .uri,
        "Transformable": .transformable,
    ]

    private func type(of element: Element, _ name: String) throws(ObjectStorageError) -> AttributeType {
        let written = element["attributeType"] ?? ""
        guard let type = Self.types[written] else {
            throw ObjectStorageError(
                .invalidModel,
                "\(element.place)attribute “\(self.name).\(name)” has the unknown type “\(written)”.",
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
                "\(element.place)“\(text)” is not a valid value of the attribute “\(self.name).\(name)”, which is of type \(type.rawValue).",
                entityName: self.name, propertyName: name)
        }
        return value
    }

    func relationship(_ element: Element) throws(ObjectStorageError) -> RelationshipDescription {
        let name = element["name"] ?? ""
        let rules: [String: RelationshipDescription.DeleteRule] = [
            "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
        ]
        let written = element["deletionRule"] ?? "Nullify"
        guard let rule = rules[written], let destination = element["destinationEntity"] else {
            throw ObjectStorageError(
                .invalidModel,
                "\(element.place)relationship “\(self.name).\(name)” has no destination, or the unknown delete rule “\(written)”.",
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

extension AttributeDescription {
    /// Returns the attribute with an index, or without one.
    fileprivate func indexed(_ isIndexed: Bool, isUnique: Bool) -> Self {
        Self(
            name: name, type: type, isOptional: isOptional, isIndexed: isIndexed, isUnique: isUnique,
            isTransient: isTransient, allowsExternalStorage: allowsExternalStorage,
            defaultValue: defaultValue, transformerName: transformerName, rules: rules,
            renamingIdentifier: renamingIdentifier, derivation: derivation)
    }
}
