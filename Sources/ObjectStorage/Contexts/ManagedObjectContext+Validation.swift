// What a save checks before it writes.

extension ManagedObjectContext {
    /// Checks all that is to be saved.
    ///
    /// - Throws: ``ObjectStorageError`` that names entity, property and object.
    func validate(_ changes: PendingChanges) throws(ObjectStorageError) {
        for object in changes.inserted + changes.updated { try Self.validate(object) }
        if container.model.hasAllowedCounts {
            for object in try objectsWithOtherCounts(changes) { try Self.validateCounts(object) }
        }
        for object in changes.inserted { try object.validateForInsert() }
        for object in changes.updated { try object.validateForUpdate() }
        for object in changes.onlyRelinked { try object.validateForUpdate() }
        for object in changes.deleted { try object.validateForDelete() }
    }

    /// The objects that may lead to more or fewer others than before: those that changed, and those at the
    /// other end of their to-one relationships, now and before.
    private func objectsWithOtherCounts(
        _ changes: PendingChanges
    ) throws(ObjectStorageError) -> Set<ManagedObject> {
        var counted = Set(changes.inserted + updatedObjects)
        for object in changes.inserted + changes.updated + changes.deleted {
            let first = object.entity.storedAttributes.count
            for (position, relationship) in object.entity.toOneRelationships.enumerated() {
                let slot = first + position
                let runtime = try requireRuntime(ofEntityNamed: relationship.destinationEntityName)
                if let target = object.assignedReferences[slot] { counted.insert(target) }
                var known = object.committedValues.map { [$0[slot]] } ?? []
                if !object.isFault { known.append(object.values[slot]) }
                for case .integer(let key) in known {
                    counted.insert(try self.object(ledToBy: key, runtime))
                }
            }
        }
        // What was deleted elsewhere need lead to nothing.
        return counted.filter { !$0.isDeleted && $0.loadIfNeeded() }
    }
}

extension ManagedObjectContext {
    /// Checks what SQLite does not: that values that must be there are, and fit their types.
    private static func validate(_ object: ManagedObject) throws(ObjectStorageError) {
        let runtime = object.runtime
        let values = object.values
        for (slot, check) in runtime.checks.enumerated() {
            guard check.accepts(values[slot]) else {
                throw rejection(of: values[slot], by: object.entity.storedAttributes[slot], of: object)
            }
            if check.hasRules {
                try validateRules(of: object.entity.storedAttributes[slot], values[slot], object)
            }
        }
        for (slot, name) in runtime.requiredToOneRelationships {
            let leads = object.assignedReferences[slot].map { !$0.isDeleted } ?? !values[slot].isNull
            guard leads else { throw missingValue(name, of: object) }
        }
    }

    private static func validateRules(
        of attribute: AttributeDescription, _ value: StoredValue, _ object: ManagedObject
    ) throws(ObjectStorageError) {
        guard let rule = attribute.brokenRule(by: value) else { return }
        throw ObjectStorageError(
            .invalidValue,
            "\(object.objectID), attribute “\(attribute.name)”: \(value) must \(rule). Nothing was saved.",
            entityName: object.entity.name, propertyName: attribute.name, objectID: object.objectID)
    }

    /// Why an attribute does not take a value.
    private static func rejection(
        of value: StoredValue, by attribute: AttributeDescription, of object: ManagedObject
    ) -> ObjectStorageError {
        if value.isNull { return missingValue(attribute.name, of: object) }
        return ObjectStorageError(
            .invalidValue,
            "\(object.objectID), attribute “\(attribute.name)”: \(value) is no \(attribute.type.rawValue). Nothing was saved.",
            entityName: object.entity.name, propertyName: attribute.name, objectID: object.objectID)
    }

    /// Checks that relationships lead to as many objects as they must.
    private static func validateCounts(_ object: ManagedObject) throws(ObjectStorageError) {
        let entity = object.entity
        for relationship in entity.relationships {
            guard let allowed = relationship.allowedCount else { continue }
            let count = try object.relatedObjects(relationship.name).count
            guard allowed.contains(count) else {
                throw ObjectStorageError(
                    .invalidValue,
                    "\(object.objectID): “\(relationship.name)” leads to \(count) object(s), and must lead to \(allowed.lowerBound) to \(allowed.upperBound). Nothing was saved.",
                    entityName: entity.name, propertyName: relationship.name, objectID: object.objectID)
            }
        }
    }

    private static func missingValue(_ name: String, of object: ManagedObject) -> ObjectStorageError {
        ObjectStorageError(
            .missingValue,
            "\(object.objectID): “\(name)” must have a value. Assign one, or declare the property optional. Nothing was saved.",
            entityName: object.entity.name, propertyName: name, objectID: object.objectID)
    }
}
