import Foundation
import InternalUtilities

extension ManagedObjectModel {
    /// Names that would collide with what every table or object already has.
    private static let reservedPropertyNames = ["objectid", "rowid", "oid", "_rowid_"]

    /// SQLite's limit of columns, less the primary key.
    static let maximumColumns = 1_999

    /// Checks every rule that the rest of the library relies on.
    func validate() throws(ObjectStorageError) {
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
                "Two entities are called “\(entities[position].name)”; SQLite does not tell upper from lower case.",
                entities[position])
        }
        for entity in entities {
            guard let former = entity.renamingIdentifier,
                let other = entities.first(where: { $0.renamingIdentifier == former }),
                other.name != entity.name
            else { continue }
            throw Self.invalid(
                "Entities “\(other.name)” and “\(entity.name)” both say that they were called “\(former)”, whose objects cannot be of both.",
                entity)
        }
        if hasExistingTables { try validateExistingTables() }
        try validateHierarchies()
    }

    private func validateProperties(of entity: EntityDescription) throws(ObjectStorageError) {
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        for name in names {
            try Self.validateName(name, of: "property", in: entity)
            guard !Self.reservedPropertyNames.contains(name.lowercased()) else {
                throw Self.invalid(
                    "Entity “\(entity.name)”: the property name “\(name)” is reserved. Choose another name.",
                    entity, name)
            }
        }
        if let position = Self.duplicate(in: names) {
            throw Self.invalid(
                "Entity “\(entity.name)” has two properties called “\(names[position])”; SQLite does not tell upper from lower case.",
                entity, names[position])
        }
        guard entity.slotNames.count <= Self.maximumColumns else {
            throw Self.invalid(
                "Entity “\(entity.name)” has \(entity.slotNames.count) attributes and to-one relationships; a table holds up to \(Self.maximumColumns). Move some to an entity of their own.",
                entity)
        }
        for attribute in entity.attributes where !attribute.type.accepts(attribute.defaultValue) {
            throw Self.invalid(
                "Entity “\(entity.name)”, attribute “\(attribute.name)”: the default \(attribute.defaultValue) is no \(attribute.type.rawValue).",
                entity, attribute.name)
        }
        for attribute in entity.attributes { try validate(attribute, of: entity) }
        // By position: a slice would have its type made when a program starts.
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
        // Made only for an error: a model is checked each time that a program starts.
        var place: String { "Entity “\(entity.name)”, attribute “\(attribute.name)”" }
        if attribute.isTransient, attribute.isIndexed || attribute.isUnique {
            throw Self.invalid(
                "\(place): a transient attribute is in no row, so it cannot be indexed or unique.", entity,
                attribute.name)
        }
        if attribute.allowsExternalStorage {
            guard attribute.type == .binaryData || attribute.type == .transformable else {
                throw Self.invalid(
                    "\(place): only bytes can be kept out of the row, and this one is of type \(attribute.type.rawValue).",
                    entity, attribute.name)
            }
            guard !attribute.isUnique,
                !entity.uniquenessConstraints.contains(where: { $0.contains(attribute.name) })
            else {
                throw Self.invalid(
                    "\(place): values that are kept out of the row cannot be unique.", entity,
                    attribute.name)
            }
        }
        if attribute.transformerName != nil, attribute.type != .transformable {
            throw Self.invalid(
                "\(place): only a transformable attribute has a transformer, and this one is of type \(attribute.type.rawValue).",
                entity, attribute.name)
        }
        for rule in attribute.rules where !rule.applies(to: attribute.type) {
            throw Self.invalid(
                "\(place): the rule that a value must \(rule) says nothing of type \(attribute.type.rawValue). \(ValidationRule.remedy)",
                entity, attribute.name)
        }
        for case .pattern(let pattern) in attribute.rules {
            do {
                _ = try NSRegularExpression(pattern: pattern)
            } catch {
                throw Self.invalid(
                    "\(place): “\(pattern)” is no regular expression.", entity, attribute.name)
            }
        }
    }

    private func validate(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) throws(ObjectStorageError) {
        var place: String { "Entity “\(entity.name)”, relationship “\(relationship.name)”" }
        guard let destination = self.entity(named: relationship.destinationEntityName) else {
            throw Self.invalid(
                "\(place): there is no entity “\(relationship.destinationEntityName)”. "
                    + NearestName.suggestion(
                        for: relationship.destinationEntityName, among: entities.map(\.name)),
                entity, relationship.name)
        }
        guard !relationship.isOrdered || relationship.isToMany else {
            throw Self.invalid(
                "\(place): only a to-many relationship can be ordered.", entity, relationship.name)
        }
        guard relationship.allowedCount == nil || relationship.isToMany else {
            throw Self.invalid(
                "\(place): only how many objects a relationship to many leads to can be bounded. Say isOptional: false if it must lead to one.",
                entity, relationship.name)
        }
        guard let inverseName = relationship.inverseName else { return }
        guard let inverse = destination.relationship(named: inverseName) else {
            throw Self.invalid(
                "\(place): the inverse “\(inverseName)” is not a relationship of “\(destination.name)”.",
                entity, relationship.name)
        }
        guard inverse.destinationEntityName == entity.name, inverse.inverseName == relationship.name else {
            throw Self.invalid(
                "\(place): its inverse “\(destination.name).\(inverseName)” does not lead back to it.",
                entity, relationship.name)
        }
    }

    /// The position of a name that another is equal to but for upper and lower case.
    ///
    /// By sorting, because a set of strings would have its type made when a program starts.
    private static func duplicate(in names: [String]) -> Int? {
        let sorted = names.enumerated().map { (name: $1.lowercased(), position: $0) }
            .sorted { ($0.name, $0.position) < ($1.name, $1.position) }
        return zip(sorted, sorted.dropFirst()).first { $0.name == $1.name }?.1.position
    }

    private static func validateName(
        _ name: String, of kind: String, in entity: EntityDescription?
    ) throws(ObjectStorageError) {
        var place: String { entity.map { "Entity “\($0.name)”: " } ?? "" }
        guard !name.isEmpty, name.utf8.count <= 128 else {
            throw ObjectStorageError(
                .invalidModel, "\(place)the \(kind) name “\(name)” must have 1 to 128 UTF-8 bytes.",
                entityName: entity?.name)
        }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F && $0 != "." }) else {
            throw ObjectStorageError(
                .invalidModel,
                "\(place)the \(kind) name “\(name)” contains a control character or a full stop, which separates key paths.",
                entityName: entity?.name)
        }
    }

    private static func invalid(
        _ message: String, _ entity: EntityDescription, _ property: String? = nil
    ) -> ObjectStorageError {
        ObjectStorageError(.invalidModel, message, entityName: entity.name, propertyName: property)
    }
}
