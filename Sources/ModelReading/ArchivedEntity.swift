import Foundation
import ObjectStorage

/// An entity of a compiled model.
struct ArchivedEntity {
    /// The entity's name.
    let name: String
    private let value: ArchivedValue
    private let properties: [(key: String, value: ArchivedValue)]

    /// Creates an entity from its archived description and the entries of its properties.
    init(name: String, _ value: ArchivedValue, properties: [(key: String, value: ArchivedValue)]) {
        self.name = name
        self.value = value
        // Dictionaries are unordered.
        self.properties = properties.sorted { $0.key < $1.key }
    }

    /// Returns the content in the vocabulary of Apple's XML.
    ///
    /// - Throws: ``ObjectStorageError`` for a property that cannot be read.
    func content() throws(ObjectStorageError) -> DataModelEntity {
        var texts = ["name": name, "representedClassName": value["NSClassNameForEntity"]?.text]
        if value["NSIsAbstract"]?.isTrue == true { texts["isAbstract"] = "YES" }
        let parent = value["NSSuperentity"]
        texts["parentEntity"] = parent?["NSEntityName"]?.text
        if let former = value["NSRenamingIdentifier"]?.text, former != name { texts["elementID"] = former }
        var entity = DataModelEntity(
            DataModelEntity.Element(attributes: texts.compactMapValues { $0 }, line: nil))
        noteCommonParts(of: value, nil, in: &entity)
        let inherited = Set(parent.map { inheritedNames(from: $0) } ?? [])
        for (name, property) in properties where !inherited.contains(name) {
            try add(property, named: name, to: &entity)
        }
        let indexes = value["NSFetchIndexDescriptions"]?.items ?? []
        for index in indexes { add(index, to: &entity) }
        // The earlier form, which newer compilers write as well.
        for list in indexes.isEmpty ? value["NSCompoundIndexes"]?.items ?? [] : [] {
            entity.addIndex(list.items.compactMap(\.text))
        }
        for list in value["NSUniqueTuples"]?.items ?? [] {
            let names = list.items.compactMap { $0.text ?? $0["NSPropertyName"]?.text }
            if !names.isEmpty { entity.uniquenessConstraints.append(names) }
        }
        return entity
    }

    /// Returns the names of an entity's properties, including inherited ones.
    private func inheritedNames(from parent: ArchivedValue) -> [String] {
        var names: [String] = []
        var current: ArchivedValue? = parent
        // The parents of a damaged file can form a cycle.
        for _ in 0..<100 {
            guard let entity = current else { break }
            names += (entity["NSProperties"]?.entries ?? []).map(\.key)
            current = entity["NSSuperentity"]
        }
        return names
    }

    /// Returns the name of the entity that an archived request fetches.
    static func entityName(ofRequest request: ArchivedValue) -> String? {
        request["NSEntityName"]?.text ?? request["NSEntity"]?["NSEntityName"]?.text
    }

    private func noteCommonParts(
        of value: ArchivedValue, _ property: String?, in entity: inout DataModelEntity
    ) {
        if let modifier = value["NSVersionHashModifier"]?.text {
            entity.unsupportedParts.append(.versionHashModifier(modifier, name, property, line: nil))
        }
        let keys = (value["NSUserInfo"]?.entries ?? []).map(\.key)
        if !keys.isEmpty { entity.unsupportedParts.append(.userInfo(keys, name, property, line: nil)) }
    }

    private func add(
        _ value: ArchivedValue, named property: String, to entity: inout DataModelEntity
    ) throws(ObjectStorageError) {
        switch value.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription":
            noteCommonParts(of: value, property, in: &entity)
            entity.attributes.append(
                ArchivedAttribute(name: property, of: name, value).element(&entity.unsupportedParts))
        case "NSCompositeAttributeDescription":
            noteCommonParts(of: value, property, in: &entity)
            entity.attributes.append(
                DataModelEntity.Element(
                    attributes: ["name": property, "attributeType": "Composite"], line: nil))
        case "NSRelationshipDescription":
            noteCommonParts(of: value, property, in: &entity)
            entity.relationships.append(try relationship(value, property))
        case "NSFetchedPropertyDescription":
            noteCommonParts(of: value, property, in: &entity)
            let request = value["NSFetchRequest"]
            entity.unsupportedParts.append(
                .fetchedProperty(
                    property, of: name,
                    fetching: value["_NSFetchRequestEntityName"]?.text
                        ?? request.flatMap(Self.entityName),
                    predicate: request?["NSPredicate"].map(ArchivedExpression.text), line: nil))
        // An inherited property.
        case "_NSPropertyDescriptionProxy": break
        // A subclass of an app or of a later system.
        case let kind? where kind.hasSuffix("AttributeDescription"):
            entity.unsupportedParts.append(.unknown("attribute of the class \(kind)", name, property, nil))
            entity.attributes.append(
                ArchivedAttribute(name: property, of: name, value).element(&entity.unsupportedParts))
        case let kind:
            guard let kind, !value.keys.isEmpty else {
                throw DataModelContents.unreadable("The property “\(name).\(property)”", name, property)
            }
            entity.unsupportedParts.append(.unknown("property of the class \(kind)", name, property, nil))
        }
    }

    private func relationship(
        _ value: ArchivedValue, _ property: String
    ) throws(ObjectStorageError) -> DataModelEntity.Element {
        let rules = ["No Action", "Nullify", "Cascade", "Deny"]
        let rule = Int(clamping: value["NSDeleteRule"]?.integer ?? 0)
        guard rules.indices.contains(rule) else {
            throw DataModelContents.unreadable("The rule of “\(name).\(property)”", name, property)
        }
        var texts = ["name": property, "deletionRule": rules[rule]]
        texts["destinationEntity"] =
            value["NSDestinationEntity"]?["NSEntityName"]?.text ?? value["_NSDestinationEntityName"]?.text
        texts["inverseName"] =
            value["NSInverseRelationship"]?["NSPropertyName"]?.text
            ?? value["_NSInverseRelationshipName"]?.text
        if value["NSIsOptional"]?.isTrue == true { texts["optional"] = "YES" }
        if value["NSIsOrdered"]?.isTrue == true { texts["ordered"] = "YES" }
        let most = value["NSMaxCount"]?.integer ?? 0
        if most != 1 { texts["toMany"] = "YES" }
        if most > 1 { texts["maxCount"] = String(most) }
        if let least = value["NSMinCount"]?.integer, least > 0 { texts["minCount"] = String(least) }
        if let former = value["NSRenamingIdentifier"]?.text, former != property {
            texts["elementID"] = former
        }
        return DataModelEntity.Element(attributes: texts, line: nil)
    }

    private func add(_ value: ArchivedValue, to entity: inout DataModelEntity) {
        var index = DataModelIndex(name: value["NSIndexName"]?.text ?? "", line: nil)
        index.predicate = value["NSPartialIndexPredicate"].map(ArchivedExpression.text)
        for element in value["NSIndexElements"]?.items ?? [] {
            let expression = element["NSIndexedProperty"]
            let isExpression = expression?.className == "NSExpressionDescription"
            index.elements.append(
                DataModelIndex.Element(
                    property: isExpression ? nil : element["NSPropertyName"]?.text,
                    expression: isExpression ? expression.map(ArchivedExpression.text) : nil,
                    isDescending: element["NSAscending"]?.isTrue == false,
                    isBinary: element["NSFetchIndexElementType"]?.integer ?? 0 == 0))
        }
        index.add(to: &entity)
    }
}
