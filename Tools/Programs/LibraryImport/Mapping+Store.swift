import InternalUtilities
import SectionedFetch
import ToolSupport

extension Mapping {
    /// Takes over an entity that the store has, so that a second file of the same kind goes where the first
    /// went.
    ///
    /// A column belongs to the attribute that a proposal would have named after it, or to the to-one
    /// relationship of its name. The key is the unique attribute, if there is just one.
    ///
    /// - Parameter named: Columns of which something else was said.
    /// - Throws: ``ToolFailure`` if an attribute or relationship gets no column.
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
            note("“\(entity.name)” of the store has nothing for \(quotedList(unused)): ignored.")
        }
        guard !attributes.isEmpty || !relationships.isEmpty else {
            throw ToolFailure(
                "No column of the file goes to “\(entity.name)” of the store, which has: \(entity.columnPropertyNames.joined(separator: ", ")). Choose another --entity, or write a mapping."
            )
        }
        let unique = entity.attributes.filter(\.isUnique).map(\.name).filter { name in
            attributes.contains { $0.name == name }
        }
        self.init(
            entity: entity.name, key: unique.count == 1 ? unique[0] : nil, attributes: attributes,
            relationships: relationships)
    }

    /// The attribute by which objects at the other end are named: the only unique text that they have.
    private static func nameAttribute(
        of relationship: RelationshipDescription, in model: ManagedObjectModel
    ) -> String? {
        let attributes = model.entity(named: relationship.destinationEntityName)?.attributes ?? []
        let unique = attributes.filter { $0.isUnique && $0.type == .string }
        return unique.count == 1 ? unique[0].name : nil
    }

    /// Takes out what comes from fields that no record has, where rows of an entity can do without.
    ///
    /// In JSON a member that is absent is no value, in one record as in all.
    ///
    /// - Parameter fieldNames: Those that the records have.
    mutating func leaveOut(besides fieldNames: [String], of entity: EntityDescription) {
        // What looks like a name that was mistyped is left for whoever says so.
        let unused = fieldNames.filter { !columns.contains($0) }
        func isAbsent(_ column: String) -> Bool {
            !fieldNames.contains(column) && NearestName.nearest(to: column, among: unused) == nil
        }
        attributes.removeAll { attribute in
            guard let known = entity.attribute(named: attribute.name) else { return false }
            let isRequired = !attribute.isOptional || attribute.name == key || known.isRequired
            return !isRequired && isAbsent(attribute.column)
        }
        relationships.removeAll { relationship in
            let known = entity.toOneRelationships.first { $0.name == relationship.name }
            return known?.isOptional == true && isAbsent(relationship.column)
        }
        ignored?.removeAll(where: isAbsent)
    }

    /// The attributes and to-one relationships of an entity that get no column.
    func propertiesLeftOut(of entity: EntityDescription) -> [String] {
        let mapped = Set(attributes.map(\.name) + relationships.map(\.name))
        return (entity.attributes.map(\.name) + entity.toOneRelationships.map(\.name)).filter {
            !mapped.contains($0)
        }
    }

    /// Checks that rows of this mapping can go into an entity of the store.
    ///
    /// - Parameter isWhole: Whether a row that is there already must be given whole.
    /// - Throws: ``ToolFailure`` with the nearest name for what is not there, and for what would be lost.
    func requireAgreement(
        with entity: EntityDescription, of model: ManagedObjectModel, whole isWhole: Bool
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
                    "“\(entity.name).\(attribute.name)” is \(known.type.rawValue) in the store and \(attribute.type.rawValue) in the mapping."
                )
            }
        }
        for relationship in relationships {
            let known = entity.toOneRelationships.first { $0.name == relationship.name }
            guard known?.destinationEntityName == relationship.entity else {
                throw ToolFailure(
                    "“\(entity.name)” of the store has no relationship “\(relationship.name)” to one “\(relationship.entity)”. "
                        + NearestName.suggestion(
                            for: relationship.name, among: entity.toOneRelationships.map(\.name)))
            }
            if let other = model.entity(named: relationship.entity) {
                try requireName(relationship, in: other)
            }
        }
        if let key, let known = entity.attribute(named: key), !known.isUnique, !known.isIndexed {
            throw ToolFailure(
                "“\(entity.name).\(key)” has no index in the store, so each row would be looked for in all of them. Choose another key."
            )
        }
        try requireCompleteness(entity, of: model, whole: isWhole)
    }

    /// A property has one value, so all columns but one would be lost without a word.
    private func requireDifferentNames() throws(ToolFailure) {
        var columns: [String: String] = [:]
        let properties =
            attributes.map { ($0.name, $0.column) } + relationships.map { ($0.name, $0.column) }
        for (name, column) in properties {
            guard let other = columns.updateValue(column, forKey: name) else { continue }
            throw ToolFailure(
                "The mapping gives “\(entity).\(name)” two columns, “\(other)” and “\(column)”. Take one of them out."
            )
        }
    }

    /// A row that is there already is written whole, so what the file does not say would be lost.
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
                "Say which does by --relationship \"\(relationship.name):COLUMN=\(relationship.destinationEntityName)\(attribute)\", or in a mapping"
        }
        throw ToolFailure(
            "No column of the file goes to “\(entity.name).\(first)” of the store"
                + (missing.count > 1 ? ", nor to \(missing.dropFirst().joined(separator: ", "))" : "")
                + ". \(option ?? "Write a mapping that says which does"), or add the column to the file.")
    }
}

extension AttributeDescription {
    /// Whether a row cannot do without a value.
    fileprivate var isRequired: Bool { !isOptional && defaultValue.isNull }
}
