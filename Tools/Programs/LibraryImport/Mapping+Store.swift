import InternalUtilities
import SectionedFetch
import ToolSupport

extension Mapping {
    /// Creates a mapping to an entity that the store has, so that a second file of the same kind is imported
    /// into the same entity.
    ///
    /// A column maps to the attribute that a proposal would have named after it, or to the to-one
    /// relationship of its name. The key is the unique attribute, if the mapping has exactly one.
    ///
    /// - Parameter named: The columns that options and arrays use, which are not reported as unused.
    /// - Throws: ``ToolFailure`` if no column maps to the entity.
    init(
        adopting entity: EntityDescription, of model: ManagedObjectModel, fieldNames: [String],
        besides named: [String], note: (String) -> Void
    ) throws(ToolFailure) {
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var unused: [String] = []
        for (column, name) in zip(fieldNames, Self.attributeNames(forColumns: fieldNames)) {
            if let attribute = entity.attribute(named: name) {
                attributes.append(
                    Attribute(
                        name: name, column: column, type: attribute.type, isOptional: attribute.isOptional,
                        isIndexed: attribute.isIndexed))
            } else if let relationship = entity.toOneRelationships.first(where: {
                $0.name.lowercased() == name.lowercased()
            }), let attribute = Self.nameAttribute(of: relationship, in: model) {
                relationships.append(
                    Relationship(
                        name: relationship.name, column: column, entity: relationship.destinationEntityName,
                        attribute: attribute, inverse: relationship.inverseName ?? ""))
            } else if !named.contains(column) {
                unused.append(column)
            }
        }
        if !unused.isEmpty {
            note("“\(entity.name)” of the store has no property for \(quotedList(unused)): ignored.")
        }
        guard !attributes.isEmpty || !relationships.isEmpty else {
            throw ToolFailure(
                "No column of the file matches “\(entity.name)” of the store, which has: \(entity.columnPropertyNames.joined(separator: ", ")). Choose another --entity, or write a mapping."
            )
        }
        let unique = entity.attributes.filter(\.isUnique).map(\.name).filter { name in
            attributes.contains { $0.name == name }
        }
        self.init(
            entity: entity.name, key: unique.count == 1 ? unique[0] : nil, attributes: attributes,
            relationships: relationships)
    }

    /// Returns the attribute by which a relationship's destination is looked up: its only unique string
    /// attribute, or nil if it does not have exactly one.
    private static func nameAttribute(
        of relationship: RelationshipDescription, in model: ManagedObjectModel
    ) -> String? {
        let attributes = model.entity(named: relationship.destinationEntityName)?.attributes ?? []
        let unique = attributes.filter { $0.isUnique && $0.type == .string }
        return unique.count == 1 ? unique[0].name : nil
    }

    /// Removes optional attributes and relationships whose fields no record has.
    ///
    /// In JSON, an absent member means no value, in one record as in all.
    ///
    /// - Parameters:
    ///   - fieldNames: The fields that the records have.
    ///   - isPartial: Whether required attributes and relationships are removed as well, except the key.
    mutating func leaveOut(
        besides fieldNames: [String], of entity: EntityDescription, partial isPartial: Bool = false
    ) {
        // A name that resembles an unused field is probably mistyped; it stays and is reported later.
        let unused = fieldNames.filter { !columns.contains($0) }
        func isAbsent(_ column: String) -> Bool {
            !fieldNames.contains(column) && NearestName.nearest(to: column, among: unused) == nil
        }
        attributes.removeAll { attribute in
            guard let known = entity.attribute(named: attribute.name) else { return false }
            let isRequired =
                attribute.name == key || !isPartial && (!attribute.isOptional || known.isRequired)
            return !isRequired && isAbsent(attribute.column)
        }
        relationships.removeAll { relationship in
            let known = entity.toOneRelationships.first { $0.name == relationship.name }
            return (isPartial ? known != nil : known?.isOptional == true) && isAbsent(relationship.column)
        }
        arrays?.removeAll { isAbsent($0.column) }
        ignored?.removeAll(where: isAbsent)
    }

    /// Returns the attributes and to-one relationships of an entity that no column maps to.
    func propertiesLeftOut(of entity: EntityDescription) -> [String] {
        let mapped = Set(attributes.map(\.name) + relationships.map(\.name))
        return (entity.attributes.map(\.name) + entity.toOneRelationships.map(\.name)).filter {
            !mapped.contains($0)
        }
    }

    /// Checks that rows of this mapping fit an entity of the store.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the mapping must cover all properties, because an existing row is replaced by the
    ///     imported one.
    ///   - isPartial: Whether existing rows keep the values of properties without a column.
    /// - Throws: ``ToolFailure`` for an unknown name, with the nearest known one, for a type that differs,
    ///   and for values that would be lost.
    func requireAgreement(
        with entity: EntityDescription, of model: ManagedObjectModel, whole isWhole: Bool,
        partial isPartial: Bool = false
    ) throws(ToolFailure) {
        try requireDifferentNames()
        let names = entity.attributes.map(\.name)
        for attribute in attributes {
            guard let known = entity.attribute(named: attribute.name) else {
                throw ToolFailure(
                    "“\(entity.name)” of the store has no attribute “\(attribute.name)”. \(NearestName.suggestion(for: attribute.name, among: names))"
                )
            }
            guard known.type == attribute.type else {
                throw ToolFailure(
                    "“\(entity.name).\(attribute.name)” has type \(known.type.rawValue) in the store and \(attribute.type.rawValue) in the mapping. Import the file into a new store, or leave the type as it is."
                )
            }
        }
        for relationship in relationships {
            let known = entity.toOneRelationships.first { $0.name == relationship.name }
            guard known?.destinationEntityName == relationship.entity else {
                throw ToolFailure(
                    "“\(entity.name)” of the store has no to-one relationship “\(relationship.name)” to “\(relationship.entity)”. "
                        + NearestName.suggestion(
                            for: relationship.name, among: entity.toOneRelationships.map(\.name)))
            }
            if let other = model.entity(named: relationship.entity) {
                try requireName(relationship, in: other)
            }
        }
        try requireArrays(of: model)
        if !isPartial { try requireCompleteness(entity, of: model, whole: isWhole) }
    }

    /// Checks that each property has one column, because all but one would be lost silently.
    private func requireDifferentNames() throws(ToolFailure) {
        var columns: [String: String] = [:]
        let properties =
            attributes.map { ($0.name, $0.column) } + relationships.map { ($0.name, $0.column) }
        for (name, column) in properties {
            guard let other = columns.updateValue(column, forKey: name) else { continue }
            throw ToolFailure(
                "The mapping gives “\(entity).\(name)” two columns, “\(other)” and “\(column)”. Remove one of them."
            )
        }
    }

    /// Checks that the mapping has a column for each required property, and for every property if rows are
    /// updated: an existing row is written as a whole, so a property without a column would lose its value.
    private func requireCompleteness(
        _ entity: EntityDescription, of model: ManagedObjectModel, whole isWhole: Bool
    ) throws(ToolFailure) {
        let required = Set(
            entity.attributes.filter(\.isRequired).map(\.name)
                + entity.toOneRelationships.filter { !$0.isOptional }.map(\.name))
        let missing = propertiesLeftOut(of: entity).filter {
            isWhole && key != nil || required.contains($0)
        }
        guard let first = missing.first else { return }
        let option = entity.toOneRelationships.first { missing.contains($0.name) }.map { relationship in
            let attribute = Self.nameAttribute(of: relationship, in: model).map { ".\($0)" } ?? ""
            return
                "Map it with --relationship \"\(relationship.name):COLUMN=\(relationship.destinationEntityName)\(attribute)\" or in a mapping"
        }
        throw ToolFailure(
            "No column of the file maps to “\(entity.name).\(first)” of the store"
                + (missing.count > 1 ? ", nor to \(missing.dropFirst().joined(separator: ", "))" : "")
                + ". \(option ?? "Write a mapping that has it"), or add the column to the file"
                + (key == nil ? "." : ", or pass --partial: then existing rows keep their values."))
    }
}

extension AttributeDescription {
    /// Whether every row needs a value: the attribute is not optional and has no default value.
    fileprivate var isRequired: Bool { !isOptional && defaultValue.isNull }
}
