import InternalUtilities

/// A class that is bound to an entity of a model, with the properties that it declares.
struct ClassBinding {
    /// The class.
    let type: ManagedObject.Type
    private let prototype: ManagedObject
    /// Whether objects are only read, so that their defaults, rules and derivations have no effect.
    private let isForReading: Bool
    private var layout: PropertyLayout? { prototype.runtime.layout }

    init(_ type: ManagedObject.Type, isForReading: Bool) {
        self.type = type
        self.isForReading = isForReading
        prototype = ManagedObject.prototype(of: type, recorder: KeyPathRecorder())
    }

    /// Returns the error for a difference between the class and its entity.
    func misfit(_ difference: String, property: String? = nil) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "\(type)\(property.map { ", property “\($0)”," } ?? "") does not fit the model: \(difference).",
            entityName: type.entityName, propertyName: property)
    }

    /// Returns whether the class is derived from another one.
    private func isDerived(from other: ManagedObject.Type) -> Bool {
        var isFound = false
        PropertyLayout.forEachSuperclass(of: type, prototype: prototype) { superclass in
            isFound = superclass == other
            return !isFound
        }
        return isFound
    }

    /// Checks that the class fits an entity.
    ///
    /// - Parameter bindings: All classes that are bound.
    /// - Throws: ``ObjectStorageError`` for the first difference.
    func check(
        _ entity: EntityDescription, among bindings: [ClassBinding]
    ) throws(ObjectStorageError) {
        if type.existingTable != nil {
            throw misfit("a class with an external table describes its entity itself. Use init(types:)")
        }
        if type.isAbstractEntity, !entity.isAbstract {
            throw misfit("the class is abstract, and the entity “\(entity.name)” is not")
        }
        for name in entity.hierarchy?.ancestorNames ?? [] {
            guard let parent = bindings.first(where: { $0.type.entityName == name }) else { continue }
            guard isDerived(from: parent.type) else {
                throw misfit(
                    "“\(entity.name)” inherits from “\(name)”, and \(type) is not derived from \(parent.type)"
                )
            }
        }
        guard let layout else { return }
        for position in layout.entityOrder {
            let name = layout.names[position]
            switch layout.properties[position] {
            case .attribute(let type, let isOptional, let options, let value, let transformer, let details):
                guard let attribute = entity.attribute(named: name) else { throw absence(name, entity) }
                let declared = AttributeDescription(
                    name: name, type: type, isOptional: isOptional, isTransient: options.contains(.transient),
                    defaultValue: value, transformerName: transformer, rules: details?.rules ?? [],
                    derivation: details?.derivation)
                try check(declared, attribute, isDeclaredOptional: isOptional)
            case .relationship(
                let destination, let isToMany, let isOrdered, let inverse, let deleteRule, let details):
                guard let relationship = entity.relationship(named: name) else { throw absence(name, entity) }
                try check(relationship, destination, isToMany: isToMany, isOrdered: isOrdered)
                try check(relationship, deleteRule, details)
                guard let inverse else { continue }
                let other = bindings.first { $0.type == destination }?.layout
                let inverseName = ManagedObjectModel.name(of: inverse, among: other)
                guard inverseName == relationship.inverseName else {
                    throw misfit(
                        "its inverse is “\(inverseName)”, but that of the entity is \(relationship.inverseName.map { "“\($0)”" } ?? "none")",
                        property: name)
                }
            }
        }
    }

    private func absence(_ name: String, _ entity: EntityDescription) -> ObjectStorageError {
        misfit(
            "the entity “\(entity.name)” has no such property of this kind. "
                + NearestName.suggestion(
                    for: name, among: entity.attributes.map(\.name) + entity.relationships.map(\.name)),
            property: name)
    }

    private func check(
        _ declared: AttributeDescription, _ attribute: AttributeDescription, isDeclaredOptional: Bool
    ) throws(ObjectStorageError) {
        let name = attribute.name
        func require<Value: Equatable>(
            _ own: Value, _ other: Value, _ words: (Value) -> String
        ) throws(ObjectStorageError) {
            guard own != other else { return }
            throw misfit(
                "it is \(words(own)), but that of the entity is \(words(other))", property: name)
        }
        try require(declared.type, attribute.type) { "of type \($0.rawValue)" }
        if attribute.isOptional, !isDeclaredOptional, attribute.derivation == nil {
            throw misfit(
                "it is not optional, and the attribute of the entity may have no value", property: name)
        }
        try require(declared.isTransient, attribute.isTransient) { $0 ? "transient" : "stored" }
        if !declared.defaultValue.isNull, !isForReading {
            try require(declared.defaultValue, attribute.defaultValue) {
                $0.isNull ? "without a default" : "\($0) by default"
            }
        }
        if let transformer = attribute.transformerName {
            try require(declared.transformerName, transformer) { "by the transformer \($0 ?? "none")" }
        }
        if declared.derivation != nil, !isForReading {
            try require(declared.derivation, attribute.derivation) {
                $0.map { "derived from \($0)" } ?? "not derived"
            }
        }
        if !declared.rules.isEmpty, !isForReading {
            try require(Set(declared.rules), Set(attribute.rules)) { rules in
                rules.isEmpty
                    ? "without rules"
                    : "with the rules that it must "
                        + rules.map(\.description).sorted().joined(separator: ", ")
            }
        }
    }

    private func check(
        _ relationship: RelationshipDescription, _ destination: ManagedObject.Type, isToMany: Bool,
        isOrdered: Bool
    ) throws(ObjectStorageError) {
        let name = relationship.name
        func words(_ isToMany: Bool, _ isOrdered: Bool) -> String {
            isToMany ? isOrdered ? "an ordered relationship to many" : "to many" : "to one"
        }
        guard isToMany == relationship.isToMany, isOrdered == relationship.isOrdered else {
            throw misfit(
                "it is \(words(isToMany, isOrdered)), but that of the entity is \(words(relationship.isToMany, relationship.isOrdered))",
                property: name)
        }
        guard destination.entityName == relationship.destinationEntityName else {
            throw misfit(
                "it leads to “\(destination.entityName)”, but that of the entity leads to “\(relationship.destinationEntityName)”",
                property: name)
        }
    }

    /// Checks that the classes to which relationships lead are bound as well, because a property shows
    /// objects of its declared class only.
    func checkDestinations(among bindings: [ClassBinding]) throws(ObjectStorageError) {
        guard let layout else { return }
        for position in layout.entityOrder {
            guard case .relationship(let destination, _, _, _, _, _) = layout.properties[position],
                !bindings.contains(where: { $0.type == destination })
            else { continue }
            throw misfit(
                "it leads to \(destination), which is not among the classes. Pass it as well",
                property: layout.names[position])
        }
    }

    private func check(
        _ relationship: RelationshipDescription, _ deleteRule: RelationshipDescription.DeleteRule,
        _ details: RelationshipDetails?
    ) throws(ObjectStorageError) {
        let name = relationship.name
        if deleteRule != .nullify, deleteRule != relationship.deleteRule {
            throw misfit(
                "its delete rule is \(deleteRule.rawValue), but that of the entity is \(relationship.deleteRule.rawValue)",
                property: name)
        }
        guard let details else { return }
        if !details.isOptional, relationship.isOptional, relationship.allowedCount?.contains(0) ?? true {
            throw misfit("it must lead to an object, but that of the entity is optional", property: name)
        }
        if let count = details.allowedCount, count != relationship.allowedCount {
            throw misfit(
                "its allowed count is \(count), but that of the entity is \(relationship.allowedCount.map { "\($0)" } ?? "any")",
                property: name)
        }
    }
}
