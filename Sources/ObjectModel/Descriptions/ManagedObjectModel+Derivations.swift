import InternalUtilities

extension ManagedObjectModel {
    /// Whether any attribute is derived.
    package var hasDerivedAttributes: Bool {
        entities.contains { entity in entity.attributes.contains { $0.derivation != nil } }
    }

    /// Returns whether a store with another model computes all derived attributes of this one.
    package func derivesNothingElse(than other: ManagedObjectModel) -> Bool {
        entities.allSatisfy { entity in
            entity.attributes.allSatisfy { attribute in
                attribute.derivation == nil
                    || other.entity(named: entity.name)?.attribute(named: attribute.name)?.derivation
                        == attribute.derivation
            }
        }
    }

    /// The names of the entities that declare or inherit derived attributes.
    package var namesOfEntitiesWithDerivations: [String] {
        entities.filter { entity in entity.attributes.contains { $0.derivation != nil } }.map(\.name)
    }

    /// Returns the reason why the store cannot compute an attribute; nil if it can.
    ///
    /// - Parameters:
    ///   - derivation: The rule.
    ///   - attribute: The attribute; it need not be part of the model.
    ///   - entity: The entity of the model that has it.
    package func fault(
        of derivation: AttributeDerivation, for attribute: AttributeDescription, in entity: EntityDescription
    ) -> String? {
        if attribute.isTransient { return "a transient attribute has no column" }
        if attribute.allowsExternalStorage { return "its values are stored outside the row" }
        if entity.existingTable != nil {
            return "the entity is mapped to an external table, which belongs to another program"
        }
        switch derivation.source {
        case .now: return attribute.type == .date ? nil : "now() is a date"
        case .value(let path, let name, let transformation):
            var owner = entity
            for step in path {
                guard let relationship = owner.relationship(named: step), !relationship.isToMany,
                    let next = self.entity(named: relationship.destinationEntityName)
                else { return "“\(owner.name)” has no to-one relationship “\(step)”" }
                if next.existingTable != nil { return "“\(next.name)” is mapped to an external table" }
                owner = next
            }
            guard let source = source(name, of: owner) else { return noSource(name, owner) }
            if transformation != nil, source.type != .string || attribute.type != .string {
                return "only texts have upper, lower and canonical forms"
            }
            return source.type == attribute.type && source.transformerName == attribute.transformerName
                ? nil : "“\(owner.name).\(name)” is of type \(source.type.rawValue)"
        case .count(let relationship):
            if let fault = fault(ofRelationshipNamed: relationship, in: entity) { return fault }
            return attribute.type.isInteger ? nil : "a count is an integer"
        case .aggregate(let aggregate, let name, let relationship):
            if let fault = fault(ofRelationshipNamed: relationship, in: entity) { return fault }
            let members = entity.relationship(named: relationship)
                .flatMap { self.entity(named: $0.destinationEntityName) }
            guard let members, let source = source(name, of: members) else {
                return noSource(name, members ?? entity)
            }
            return Self.isPossible(aggregate, of: source.type, as: attribute.type)
                ? nil
                : "@\(aggregate.rawValue) of \(source.type.rawValue) values is not of type \(attribute.type.rawValue)"
        }
    }

    private func noSource(_ name: String, _ entity: EntityDescription) -> String {
        "“\(entity.name)” has no stored attribute “\(name)” that is not derived itself"
    }

    /// Returns an attribute that a derivation can read.
    private func source(_ name: String, of entity: EntityDescription) -> AttributeDescription? {
        entity.attribute(named: name).flatMap { attribute in
            attribute.isTransient || attribute.allowsExternalStorage || attribute.derivation != nil
                ? nil : attribute
        }
    }

    private func fault(ofRelationshipNamed name: String, in entity: EntityDescription) -> String? {
        guard let relationship = entity.relationship(named: name), relationship.isToMany else {
            return "“\(entity.name)” has no to-many relationship “\(name)”"
        }
        let members = self.entity(named: relationship.destinationEntityName)
        return members?.existingTable == nil
            ? nil : "“\(relationship.destinationEntityName)” is mapped to an external table"
    }

    /// Returns whether an aggregate of values of a type fits an attribute. Decimals are stored as texts,
    /// which SQLite cannot add as numbers.
    private static func isPossible(
        _ aggregate: AttributeDerivation.Aggregate, of source: AttributeType, as type: AttributeType
    ) -> Bool {
        let isNumber = source.isInteger || source == .double || source == .float
        switch aggregate {
        case .sum:
            return isNumber && (type == .double || source.isInteger && type.isInteger)
                || source == .decimal && type == .decimal
        case .average: return isNumber && type == .double
        case .min, .max:
            return (isNumber || source == .date || source == .string || source == .decimal) && source == type
        }
    }
}

extension AttributeType {
    /// Whether the values are whole numbers.
    package var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
}
