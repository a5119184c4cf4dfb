/// A list of properties whose combined values differ between all objects of an entity.
struct UniqueConstraint {
    /// A name that no other constraint of the model has.
    let name: String
    /// The entity that declares the constraint, which covers its objects and those of its sub-entities.
    let owner: EntityDescription
    /// The positions of the properties among an object's values.
    let slots: [Int]
    /// The statement that finds the row with given values.
    let selection: String

    /// Returns the constraints on an entity's objects, declared by it or by entities from which it inherits.
    ///
    /// - Returns: None for an entity of an external table whose unique indexes the model does not describe.
    static func all(
        of entity: EntityDescription, slotNames: [String], _ model: ManagedObjectModel
    ) -> [UniqueConstraint] {
        guard entity.mapping == nil || entity.rowRules != nil else { return [] }
        var constraints: [UniqueConstraint] = []
        var next: EntityDescription? = entity
        while let owner = next {
            for names in owner.ownUniqueNames {
                let slots = names.compactMap { name in slotNames.firstIndex(of: name) }
                guard slots.count == names.count else { continue }
                let conditions =
                    names.enumerated().map { "\(owner.columnSQL($1)) = ?\($0 + 1)" }
                    + (owner.parentName == nil
                        ? [] : [owner.indexConcreteEntityCondition()].compactMap { $0 })
                constraints.append(
                    UniqueConstraint(
                        name: "\(owner.name).\(names.joined(separator: "."))", owner: owner, slots: slots,
                        selection:
                            "SELECT \(owner.identityColumns()) FROM \(owner.tableSQL) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
                    ))
            }
            next = owner.parentName.flatMap(model.entity(named:))
        }
        return constraints
    }

    /// Returns the combined values of an object; nil if one of them is nil, because constraints do not apply
    /// to nil.
    ///
    /// - Parameter values: All values of the object.
    func values(of values: [StoredValue]) -> [StoredValue]? {
        let unique = slots.map { values[$0] }
        return unique.contains(.null) ? nil : unique
    }
}

extension EntityDescription {
    /// The lists of properties that the entity itself declares unique.
    var ownUniqueNames: [[String]] {
        rowRules?.uniquenessConstraints
            ?? ownAttributes.filter { $0.isUnique && !$0.isTransient }.map { [$0.name] }
            + uniquenessConstraints
    }
}
