// The parts of each kind, with their effects and remedies.

extension UnsupportedModelPart {
    static func fetchRequest(_ name: String, entity: String?, predicate: String?, line: Int?) -> Self {
        Self(
            .fetchRequest,
            part: "fetch request template “\(name)”" + words(entity: entity, predicate: predicate),
            effect: "The model has no templates.",
            remedy: "Make the request in Swift: a static property of the class that returns a FetchRequest.",
            line: line)
    }

    static func configuration(_ name: String, of entities: [String], line: Int?) -> Self {
        Self(
            .configuration, part: "configuration “\(name)” of \(entities.joined(separator: ", "))",
            effect: "Every store has all entities of the model.",
            remedy:
                "Make a model of the entities that each store needs with ManagedObjectModel(entities:), and a container for each.",
            line: line)
    }

    static func fetchedProperty(
        _ name: String, of entity: String, fetching destination: String?, predicate: String?, line: Int?
    ) -> Self {
        Self(
            .fetchedProperty, entityName: entity, propertyName: name,
            part: "fetched property" + words(entity: destination, predicate: predicate),
            effect: "The model does not have the property.",
            remedy: "Fetch the objects in a computed property of the class.", isPropertyMissing: true,
            line: line)
    }

    static func compositeType(_ name: String, elements: [String], line: Int?) -> Self {
        Self(
            .compositeAttribute, part: "composite type “\(name)” of \(elements.joined(separator: ", "))",
            effect: "The model has no composite types.", remedy: compositeRemedy, line: line)
    }

    static func compositeAttribute(_ name: String, of entity: String, line: Int?) -> Self {
        Self(
            .compositeAttribute, entityName: entity, propertyName: name, part: "composite attribute",
            effect: "The model does not have the attribute.", remedy: compositeRemedy,
            isPropertyMissing: true, line: line)
    }

    private static var compositeRemedy: String {
        "Make each element an attribute of the entity, or store a Codable value in a transformable attribute."
    }

    static func attributeType(
        _ type: String, _ name: String, of entity: String, isTransient: Bool, line: Int?
    ) -> Self {
        Self(
            .attributeType, entityName: entity, propertyName: name, part: "attribute of the type “\(type)”",
            effect: "The model does not have the attribute.",
            remedy: isTransient
                ? "Declare a stored property in the class: a transient attribute exists in memory only."
                : "Choose a type in the model, for example Transformable for a value of any type, or String for an object's identifier.",
            isPropertyMissing: true, line: line)
    }

    static func derivedAttribute(
        _ expression: String, _ name: String, of entity: String, because reason: String, line: Int?
    ) -> Self {
        Self(
            .derivedAttribute, entityName: entity, propertyName: name,
            part: "attribute derived from “\(expression)”: \(reason)",
            effect: "The model does not have the attribute.",
            remedy:
                "Use the expression in predicates and sort descriptors, or make it an attribute that the program sets.",
            isPropertyMissing: true, line: line)
    }

    static func uniquenessConstraint(_ list: [String], of entity: String, line: Int?) -> Self {
        Self(
            .uniquenessConstraint, entityName: entity,
            part: "uniqueness constraint over \(list.joined(separator: ", "))",
            effect: "The store does not enforce it, because the model does not have all of the attributes.",
            remedy: "Replace the attribute, and declare the constraint again.", line: line)
    }

    static func index(over list: [String], of entity: String, line: Int?) -> Self {
        Self(
            .indexOption, entityName: entity, part: "index over \(list.joined(separator: ", "))",
            effect: "The store does not have the index, because not all of the properties have columns.",
            remedy:
                "Declare an index over attributes that have columns. A relationship always has an index.",
            line: line)
    }

    static func validationPredicate(_ predicate: String, _ name: String, of entity: String) -> Self {
        Self(
            .validationPredicate, entityName: entity, propertyName: name,
            part: "the condition “\(predicate)”", effect: "The store does not check it.",
            remedy: "Check it in validateForInsert() and validateForUpdate() of the class.")
    }

    static func defaultValue(_ name: String, of entity: String, _ words: String) -> Self {
        Self(
            .defaultValue, entityName: entity, propertyName: name, part: "the default \(words)",
            effect: "The attribute has no default.",
            remedy: "Set the value in awakeFromInsert() of the class.")
    }

    static func cloudKit(_ name: String, _ entity: String?, _ property: String?, line: Int?) -> Self {
        Self(
            .cloudKit, entityName: entity, propertyName: property, part: "the setting “\(name)”",
            effect: "The store is not mirrored to CloudKit.",
            remedy: "No change is needed unless another program mirrors the data.", line: line)
    }

    static func spotlight(_ name: String, _ entity: String?, _ property: String?, line: Int?) -> Self {
        Self(
            .spotlight, entityName: entity, propertyName: property, part: "the setting “\(name)”",
            effect: "The system's search index does not contain the values.",
            remedy: "Search with predicates instead.", line: line)
    }

    static func preservedValue(_ entity: String?, _ property: String?, line: Int?) -> Self {
        Self(
            .preservedValue, entityName: entity, propertyName: property,
            part: "the setting that keeps the value of deleted objects",
            effect: "The value of a deleted object is not kept.",
            remedy: "Store it in a separate entity, in prepareForDeletion() of the class.", line: line)
    }

    static func versionHashModifier(
        _ text: String, _ entity: String?, _ property: String?, line: Int?
    ) -> Self {
        Self(
            .versionHashModifier, entityName: entity, propertyName: property,
            part: "the version hash modifier “\(text)”",
            effect: "The modifier does not change the version of the model.",
            remedy:
                "If values must be converted, rename the property and declare its earlier name.",
            line: line)
    }

    static func userInfo(
        _ keys: [String], _ entity: String?, _ property: String?, line: Int?
    ) -> Self {
        Self(
            .userInfo, entityName: entity, propertyName: property,
            part: "user info with the keys \(keys.sorted().joined(separator: ", "))",
            effect: "The model's descriptions have no user info.",
            remedy: "Keep the texts in the program, by entity and property name.", line: line)
    }

    static func unknown(_ part: String, _ entity: String?, _ property: String?, _ line: Int?) -> Self {
        Self(
            .unknown, entityName: entity, propertyName: property, part: part,
            effect: "This version of the library does not know the part and ignores it.",
            remedy: "Check whether the program depends on the part.", line: line)
    }

    private static func words(entity: String?, predicate: String?) -> String {
        (entity.map { " of “\($0)”" } ?? "") + (predicate.map { " with the predicate “\($0)”" } ?? "")
    }
}
