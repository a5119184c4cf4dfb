import Foundation
import InternalUtilities

extension ManagedObjectModel {
    /// Names that would collide with columns or properties that every table or object has, in lower case.
    package static let reservedPropertyNames = ["objectid", "rowid", "oid", "_rowid_"]

    /// SQLite's limit on the number of columns, minus the primary key.
    package static let maximumColumns = 1_999

    /// Checks every rule on which the rest of the library relies.
    package func validate() throws(ObjectStorageError) {
        for entity in entities {
            try Self.validateName(entity.name, of: "entity", in: nil)
            let lowercased = entity.name.lowercased()
            guard !lowercased.hasPrefix("sqlite_"), !lowercased.hasPrefix("sc_") else {
                throw Self.invalid(
                    "Entity “\(entity.name)”: names that begin with “sqlite_” or “sc_” are reserved.", entity)
            }
            try validateProperties(of: entity)
        }
        if let position = Self.duplicate(in: entities.map(\.name)) {
            throw Self.invalid(
                "Two entities are called “\(entities[position].name)”; SQLite does not distinguish upper and lower case.",
                entities[position])
        }
        for entity in entities {
            guard let previous = entity.renamingIdentifier,
                let other = entities.first(where: { $0.renamingIdentifier == previous }),
                other.name != entity.name
            else { continue }
            throw Self.invalid(
                "Entities “\(other.name)” and “\(entity.name)” both have the renaming identifier “\(previous)”; its objects can belong to one of them only.",
                entity)
        }
        if hasExistingTables { try validateExistingTables() }
        try validateHierarchies()
    }

    private func validateProperties(of entity: EntityDescription) throws(ObjectStorageError) {
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        for name in names {
            try Self.validateName(name, of: "property", in: entity)
            // The columns of an external table may have names that differ from those of the properties.
            let reserved = entity.mapping == nil ? Self.reservedPropertyNames : ["objectid"]
            guard !reserved.contains(name.lowercased()) else {
                throw Self.invalid(
                    "Entity “\(entity.name)”: the property name “\(name)” is reserved. Choose another name.",
                    entity, name)
            }
        }
        // The names of an external table's columns are described one by one.
        if let position = Self.duplicate(in: names, ignoringCase: entity.mapping == nil) {
            throw Self.invalid(
                "Entity “\(entity.name)” has two properties called “\(names[position])”; SQLite does not distinguish upper and lower case.",
                entity, names[position])
        }
        guard entity.slotNames.count <= Self.maximumColumns else {
            throw Self.invalid(
                "Entity “\(entity.name)” has \(entity.slotNames.count) attributes and to-one relationships; a table holds up to \(Self.maximumColumns). Move some to another entity.",
                entity)
        }
        for attribute in entity.attributes where !attribute.type.accepts(attribute.defaultValue) {
            throw Self.invalid(
                "Entity “\(entity.name)”, attribute “\(attribute.name)”: the default \(attribute.defaultValue) is not a value of type \(attribute.type.rawValue).",
                entity, attribute.name)
        }
        for attribute in entity.attributes { try validate(attribute, of: entity) }
        // The loop uses positions, because the type of a slice would be instantiated at program start.
        let firstOwn = entity.hierarchy?.inheritedRelationshipCount ?? 0
        for position in entity.relationships.indices where position >= firstOwn {
            try validate(entity.relationships[position], of: entity)
        }
        for list in entity.uniquenessConstraints + entity.indexes {
            guard !list.isEmpty, list.allSatisfy(entity.columnPropertyNames.contains) else {
                let unknown = list.first { !entity.columnPropertyNames.contains($0) } ?? ""
                throw Self.invalid(
                    "Entity “\(entity.name)”: a uniqueness constraint or index over “\(list.joined(separator: ", "))” needs attributes and to-one relationships. "
                        + NearestName.suggestion(for: unknown, among: entity.columnPropertyNames),
                    entity, unknown)
            }
        }
    }

    private func validate(
        _ attribute: AttributeDescription, of entity: EntityDescription
    ) throws(ObjectStorageError) {
        // Computed only for an error: every program start checks the model.
        var subject: String { "Entity “\(entity.name)”, attribute “\(attribute.name)”" }
        if attribute.isTransient, attribute.isIndexed || attribute.isUnique {
            throw Self.invalid(
                "\(subject): a transient attribute has no column, so it cannot be indexed or unique.", entity,
                attribute.name)
        }
        if attribute.allowsExternalStorage {
            guard attribute.type == .binaryData || attribute.type == .transformable else {
                throw Self.invalid(
                    "\(subject): only bytes can be stored outside the row, and this attribute is of type \(attribute.type.rawValue).",
                    entity, attribute.name)
            }
            guard !attribute.isUnique,
                !entity.uniquenessConstraints.contains(where: { $0.contains(attribute.name) })
            else {
                throw Self.invalid(
                    "\(subject): values that are stored outside the row cannot be unique.", entity,
                    attribute.name)
            }
        }
        if attribute.transformerName != nil, attribute.type != .transformable {
            throw Self.invalid(
                "\(subject): only a transformable attribute has a transformer, and this attribute is of type \(attribute.type.rawValue).",
                entity, attribute.name)
        }
        if let derivation = attribute.derivation,
            let fault = fault(of: derivation, for: attribute, in: entity)
        {
            throw Self.invalid(
                "\(subject): the store cannot derive it from “\(derivation)”: \(fault).", entity,
                attribute.name)
        }
        for rule in attribute.rules where !rule.applies(to: attribute.type) {
            throw Self.invalid(
                "\(subject): the rule that a value must \(rule) does not apply to type \(attribute.type.rawValue). \(ValidationRule.remedy)",
                entity, attribute.name)
        }
        for case .pattern(let pattern) in attribute.rules {
            do {
                _ = try NSRegularExpression(pattern: pattern)
            } catch {
                throw Self.invalid(
                    "\(subject): “\(pattern)” is not a valid regular expression.", entity, attribute.name)
            }
        }
    }

    private func validate(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) throws(ObjectStorageError) {
        var subject: String { "Entity “\(entity.name)”, relationship “\(relationship.name)”" }
        guard let destination = self.entity(named: relationship.destinationEntityName) else {
            throw Self.invalid(
                "\(subject): the model has no entity “\(relationship.destinationEntityName)”. "
                    + NearestName.suggestion(
                        for: relationship.destinationEntityName, among: entities.map(\.name)),
                entity, relationship.name)
        }
        guard !relationship.isOrdered || relationship.isToMany else {
            throw Self.invalid(
                "\(subject): only a to-many relationship can be ordered.", entity, relationship.name)
        }
        guard relationship.allowedCount == nil || relationship.isToMany else {
            throw Self.invalid(
                "\(subject): allowedCount is for to-many relationships. Use isOptional: false if this one must lead to an object.",
                entity, relationship.name)
        }
        guard let inverseName = relationship.inverseName else { return }
        guard let inverse = destination.relationship(named: inverseName) else {
            throw Self.invalid(
                "\(subject): the inverse “\(inverseName)” is not a relationship of “\(destination.name)”.",
                entity, relationship.name)
        }
        guard inverse.destinationEntityName == entity.name, inverse.inverseName == relationship.name else {
            throw Self.invalid(
                "\(subject): its inverse “\(destination.name).\(inverseName)” does not lead back to it.",
                entity, relationship.name)
        }
    }

    /// Returns the position of a name that equals an earlier one, or differs from it at most in upper and
    /// lower case.
    ///
    /// Sorts, because the type of a set of strings would be instantiated at program start.
    private static func duplicate(in names: [String], ignoringCase: Bool = true) -> Int? {
        let sorted = names.enumerated().map { (name: ignoringCase ? $1.lowercased() : $1, position: $0) }
            .sorted { ($0.name, $0.position) < ($1.name, $1.position) }
        return zip(sorted, sorted.dropFirst()).first { $0.name == $1.name }?.1.position
    }

    private static func validateName(
        _ name: String, of kind: String, in entity: EntityDescription?
    ) throws(ObjectStorageError) {
        var subject: String { entity.map { "Entity “\($0.name)”: " } ?? "" }
        guard !name.isEmpty, name.utf8.count <= 128 else {
            throw ObjectStorageError(
                .invalidModel, "\(subject)the \(kind) name “\(name)” must have 1 to 128 UTF-8 bytes.",
                entityName: entity?.name)
        }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F && $0 != "." }) else {
            throw ObjectStorageError(
                .invalidModel,
                "\(subject)the \(kind) name “\(name)” contains a control character or a full stop, which separates key paths.",
                entityName: entity?.name)
        }
    }

    private static func invalid(
        _ message: String, _ entity: EntityDescription, _ property: String? = nil
    ) -> ObjectStorageError {
        ObjectStorageError(.invalidModel, message, entityName: entity.name, propertyName: property)
    }
}
