import SectionedFetch
import ToolSupport

/// The rules of a model that the rows of a store break.
///
/// Core Data checks rules only when an object is saved, so a store may contain objects that break them. A new
/// store gets the model without these rules, so that every object is moved and can be saved again.
struct RuleSurvey {
    /// The values of one attribute.
    private struct Values {
        /// The types that hold all values so far, beginning with the attribute's own.
        var types: [AttributeType]
        let rules: [ValidationRule]
        let type: AttributeType
        var numberOfNulls = 0
        var numberOfMisfits = 0
        /// The number of texts that are not valid UTF-8, several of which may become equal.
        var numberOfRepairs = 0
        var brokenRules: Set<Int> = []
        var numberOfBreaches = 0

        init(of attribute: AttributeDescription) {
            type = attribute.type
            types = [type] + type.widerTypes
            rules = attribute.rules
        }

        mutating func note(_ value: StoredValue) {
            guard !value.isNull else {
                numberOfNulls += 1
                return
            }
            if !type.accepts(value) {
                numberOfMisfits += 1
                types.removeAll { !$0.accepts(value) }
            }
            guard !rules.isEmpty else { return }
            let broken = rules.indices.filter { !rules[$0].holds(for: value, of: type) }
            if !broken.isEmpty { numberOfBreaches += 1 }
            brokenRules.formUnion(broken)
        }

        mutating func merge(_ other: Self) {
            types.removeAll { !other.types.contains($0) }
            numberOfNulls += other.numberOfNulls
            numberOfMisfits += other.numberOfMisfits
            numberOfRepairs += other.numberOfRepairs
            numberOfBreaches += other.numberOfBreaches
            brokenRules.formUnion(other.brokenRules)
        }
    }

    /// The relaxed rules, with the numbers of objects that break them.
    private(set) var relaxations: [String] = []
    /// The entities with the rules that hold.
    private(set) var entities: [EntityDescription]

    /// Reads all rows of a store.
    ///
    /// - Parameter progress: Called with the number of rows after each thousand. It may throw to stop.
    /// - Throws: The errors of reading, and of the closure.
    /// - Complexity: O(*n* log *n*) in the number of rows and links.
    init(of source: MoveSource, progress: (Int) throws -> Void) throws {
        entities = source.entities
        let model = source.container.model
        var values: [String: [Values]] = [:]
        var nulls: [String: [Int]] = [:]
        for entity in model.entities {
            values[entity.name] = entity.storedAttributes.map { attribute in
                Values(of: Self.attribute(attribute.name, of: entity, in: source.entities) ?? attribute)
            }
            nulls[entity.name] = entity.toOneRelationships.map { _ in 0 }
        }
        var count = 0
        for root in model.entities where root.parentName == nil {
            try source.context.forEachStoredRow(
                inTableOf: root, includingBytes: false
            ) { row in
                let name = row.entity.name
                for slot in values[name, default: []].indices { values[name]?[slot].note(row.values[slot]) }
                for slot in row.repairedSlots where slot < row.entity.storedAttributes.count {
                    values[name]?[slot].numberOfRepairs += 1
                }
                let first = row.entity.storedAttributes.count
                for position in nulls[name, default: []].indices where row.values[first + position].isNull {
                    nulls[name]?[position] += 1
                }
                count += 1
                if count.isMultiple(of: 1_000) { try progress(count) }
                return true
            }
        }
        for position in entities.indices {
            try relax(at: position, values: values, nulls: nulls, source)
        }
    }

    /// Returns an attribute as the entity that declares it describes it.
    private static func attribute(
        _ name: String, of entity: EntityDescription, in entities: [EntityDescription]
    ) -> AttributeDescription? {
        entities.lazy.filter { entity.isKind(ofEntityNamed: $0.name) }
            .compactMap { $0.attribute(named: name) }.first
    }

    /// Relaxes the broken rules of the entity at a position.
    private mutating func relax(
        at position: Int, values: [String: [Values]], nulls: [String: [Int]], _ source: MoveSource
    ) throws {
        let entity = entities[position]
        guard let whole = source.container.model.entity(named: entity.name) else { return }
        let family = source.container.model.family(of: whole)
        var notes: [String] = []
        var attributes: [AttributeDescription] = []
        var repairs: [String: Int] = [:]
        func numberOfRepeatedValues(_ names: [String]) throws -> Int {
            try source.context.numberOfRepeatedValues(of: names, in: whole)
                + names.reduce(0) { $0 + repairs[$1, default: 0] }
        }
        for attribute in entity.attributes {
            var known: Values?
            for member in family {
                guard let slot = member.storedAttributes.firstIndex(where: { $0.name == attribute.name }),
                    let part = values[member.name]?[slot]
                else { continue }
                if known == nil { known = part } else { known?.merge(part) }
            }
            repairs[attribute.name] = known?.numberOfRepairs
            var changed = attribute
            if let known { changed = Self.relaxed(attribute, known, of: entity.name, &notes) }
            if changed.isUnique {
                let number = try numberOfRepeatedValues([attribute.name])
                if number > 0 {
                    notes.append(Self.repeated([attribute.name], of: entity.name, number))
                    changed = changed.changed(isUnique: false)
                }
            }
            attributes.append(changed.derivation == nil ? changed : changed.changed())
        }
        let constraints = try entity.uniquenessConstraints.filter { list in
            let number = try numberOfRepeatedValues(list)
            if number > 0 { notes.append(Self.repeated(list, of: entity.name, number)) }
            return number == 0
        }
        let relationships = try entity.relationships.map { relationship in
            let numberOfNulls = family.reduce(0) { count, member in
                let index = member.toOneRelationships.firstIndex { $0.name == relationship.name }
                return count + (index.flatMap { nulls[member.name]?[$0] } ?? 0)
            }
            return try Self.relaxed(relationship, numberOfNulls, of: whole, source, &notes)
        }
        relaxations += notes
        entities[position] = EntityDescription(
            name: entity.name, parentName: entity.parentName, isAbstract: entity.isAbstract,
            attributes: attributes, relationships: relationships, uniquenessConstraints: constraints,
            indexes: entity.indexes, renamingIdentifier: entity.renamingIdentifier)
    }
}

extension RuleSurvey {
    private static func relaxed(
        _ attribute: AttributeDescription, _ values: Values, of entityName: String, _ notes: inout [String]
    ) -> AttributeDescription {
        let subject = "“\(entityName).\(attribute.name)”"
        var changed = attribute
        var numberOfNulls = values.numberOfNulls
        if values.numberOfMisfits > 0 {
            let objects = Quantity.count(values.numberOfMisfits, "object")
            if let type = values.types.first {
                notes.append(
                    "\(subject): \(objects) with a value that is not of type \(attribute.type.rawValue). The type is \(type.rawValue) in the new store."
                )
                changed = changed.changed(type: type)
            } else {
                numberOfNulls += values.numberOfMisfits
            }
        }
        if numberOfNulls > 0, !attribute.isOptional {
            notes.append(
                "\(subject): \(Quantity.count(numberOfNulls, "object")) without a value, which is required. It is optional in the new store."
            )
            changed = changed.changed(isOptional: true)
        }
        if !values.brokenRules.isEmpty {
            let broken = values.brokenRules.sorted().map {
                attribute.rules[$0].requirement(of: attribute.type)
            }
            notes.append(
                "\(subject): \(Quantity.count(values.numberOfBreaches, "object")) with a value that breaks a rule. The new store has no rule that a value must \(broken.joined(separator: ", or "))."
            )
            changed = changed.changed(
                rules: attribute.rules.indices.filter { !values.brokenRules.contains($0) }.map {
                    attribute.rules[$0]
                })
        }
        return changed
    }

    private static func relaxed(
        _ relationship: RelationshipDescription, _ numberOfNulls: Int, of entity: EntityDescription,
        _ source: MoveSource, _ notes: inout [String]
    ) throws -> RelationshipDescription {
        let subject = "“\(entity.name).\(relationship.name)”"
        if !relationship.isToMany, !relationship.isOptional {
            let number =
                try numberOfNulls
                + source.context.numberOfDanglingReferences(of: relationship, in: entity)
            guard number > 0 else { return relationship }
            notes.append(
                "\(subject): \(Quantity.count(number, "object")) without a related object, which is required. It is optional in the new store."
            )
            return .toOne(
                relationship.name, to: relationship.destinationEntityName, inverse: relationship.inverseName,
                deleteRule: relationship.deleteRule, renamingIdentifier: relationship.renamingIdentifier)
        }
        guard relationship.isToMany, let bounds = relationship.allowedCount else { return relationship }
        let number = try numberOfOwners(outside: bounds, of: relationship, in: entity, source)
        guard number > 0 else { return relationship }
        let most = bounds.upperBound == .max ? "" : " and at most \(Quantity.count(bounds.upperBound))"
        notes.append(
            "\(subject): \(Quantity.count(number, "object")) with too few or too many related objects (allowed: at least \(Quantity.count(bounds.lowerBound))\(most)). Any number is allowed in the new store."
        )
        return .toMany(
            relationship.name, to: relationship.destinationEntityName, inverse: relationship.inverseName,
            isOrdered: relationship.isOrdered, deleteRule: relationship.deleteRule,
            renamingIdentifier: relationship.renamingIdentifier)
    }

    /// Returns the number of objects that lead to fewer or more objects than allowed.
    private static func numberOfOwners(
        outside bounds: ClosedRange<Int>, of relationship: RelationshipDescription,
        in entity: EntityDescription, _ source: MoveSource
    ) throws -> Int {
        let total = try source.context.count(for: FetchRequest<ManagedObject>(entityName: entity.name))
        var (numberOfOwners, numberOutside) = (0, 0)
        var current: (owner: Int64, count: Int)?
        func end() {
            guard let current else { return }
            numberOfOwners += 1
            if !bounds.contains(current.count) { numberOutside += 1 }
        }
        try source.context.forEachStoredMember(of: relationship, in: entity) { owner, _ in
            if current?.owner != owner {
                end()
                current = (owner, 0)
            }
            current?.count += 1
            return true
        }
        end()
        return numberOutside + (bounds.contains(0) ? 0 : total - numberOfOwners)
    }

    private static func repeated(_ names: [String], of entityName: String, _ number: Int) -> String {
        "“\(entityName)”: \(Quantity.count(number, "value")) of \(names.joined(separator: ", ")) \(number == 1 ? "occurs" : "occur") in several objects. The new store has no uniqueness constraint on \(names.joined(separator: ", "))."
    }
}
