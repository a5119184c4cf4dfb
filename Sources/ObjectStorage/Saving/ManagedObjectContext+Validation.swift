// What a save checks before it writes.

import GRDB

extension ManagedObjectContext {
    /// Checks all that is to be saved.
    ///
    /// - Throws: ``ObjectStorageError`` with all faults, each of which names entity, property and object.
    func validate(_ changes: PendingChanges) throws(ObjectStorageError) {
        var faults: [ObjectStorageError] = []
        for object in changes.inserted + changes.updated { Self.validate(object, &faults) }
        if container.model.hasAllowedCounts {
            // Sorted, because a set has its objects in another order each time.
            let objects = try objectsWithOtherCounts(changes).sorted {
                ($0.entity.name, $0.identityKey.unsavedKey) < ($1.entity.name, $1.identityKey.unsavedKey)
            }
            for object in objects { try Self.validateCounts(object, &faults) }
        }
        func note(_ body: () throws(ObjectStorageError) -> Void) {
            do throws(ObjectStorageError) { try body() } catch { faults.append(error) }
        }
        for object in changes.inserted {
            note { () throws(ObjectStorageError) in try object.validateForInsert() }
        }
        for object in changes.updated + changes.onlyRelinked {
            note { () throws(ObjectStorageError) in try object.validateForUpdate() }
        }
        for object in changes.deleted {
            note { () throws(ObjectStorageError) in try object.validateForDelete() }
        }
        guard !faults.isEmpty else { return }
        for fault in try faultsOfReachedRows(by: changes) where !faults.contains(where: fault.isSameFault) {
            faults.append(fault)
        }
        try ObjectStorageError.throwAll(faults)
    }

    /// The faults of rows that deletions reach and that may not be in memory, found by writing the changes and
    /// rolling them back; none where they cannot be written now, because the save to the store looks again.
    ///
    /// - Throws: ``ObjectStorageError`` if a context that it saves to cannot carry out its deletions.
    func faultsOfReachedRows(by changes: PendingChanges) throws(ObjectStorageError) -> [ObjectStorageError] {
        let rows = container.reachedRows
        guard changes.deleted.contains(where: { rows.areReached(byDeleting: $0.entity) }) else { return [] }
        let ground = try changedAncestors() ?? []
        do {
            try container.connections.write { database in
                try database.waiting(atMost: 20) {
                    try database.inTransaction(.immediate) {
                        for changes in ground { _ = try changes.write(to: database, for: .ground) }
                        _ = try changes.write(to: database, for: .save)
                        return .rollback
                    }
                }
            }
            return []
        } catch let error as ObjectStorageError where error.code == .missingValue || !error.faults.isEmpty {
            return error.faults.isEmpty ? [error] : error.faults
        } catch let error as ObjectStorageError where error.code == .invalidValue {
            return [error]
        } catch {
            return []
        }
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
    private static func validate(_ object: ManagedObject, _ faults: inout [ObjectStorageError]) {
        let runtime = object.runtime
        let values = object.values
        for (slot, check) in runtime.checks.enumerated() {
            let attribute = object.entity.storedAttributes[slot]
            if !check.accepts(values[slot]) {
                faults.append(rejection(of: values[slot], by: attribute, of: object))
            } else if check.hasRules, let rule = attribute.brokenRule(by: values[slot]) {
                faults.append(
                    ObjectStorageError(
                        .invalidValue,
                        "\(object.objectID), attribute “\(attribute.name)”: \(values[slot]) must \(rule.requirement(of: attribute.type)). \(nothingSaved)",
                        entityName: object.entity.name, propertyName: attribute.name,
                        objectID: object.objectID))
            }
        }
        for (slot, name) in runtime.requiredToOneRelationships {
            let leads = object.assignedReferences[slot].map { !$0.isDeleted } ?? !values[slot].isNull
            if !leads { faults.append(.missingValue(name, of: object.objectID, nothingSaved)) }
        }
    }

    /// Why an attribute does not take a value.
    private static func rejection(
        of value: StoredValue, by attribute: AttributeDescription, of object: ManagedObject
    ) -> ObjectStorageError {
        if value.isNull { return .missingValue(attribute.name, of: object.objectID, nothingSaved) }
        return ObjectStorageError(
            .invalidValue,
            "\(object.objectID), attribute “\(attribute.name)”: \(value) is no \(attribute.type.rawValue). \(nothingSaved)",
            entityName: object.entity.name, propertyName: attribute.name, objectID: object.objectID)
    }

    /// Checks that relationships lead to as many objects as they must.
    private static func validateCounts(
        _ object: ManagedObject, _ faults: inout [ObjectStorageError]
    ) throws(ObjectStorageError) {
        for relationship in object.entity.relationships {
            guard let allowed = relationship.allowedCount else { continue }
            let count = try object.relatedObjects(relationship.name).count
            if !allowed.contains(count) {
                faults.append(
                    .wrongCount(count, allowed, relationship.name, of: object.objectID, nothingSaved))
            }
        }
    }

    private static var nothingSaved: String { "Nothing was saved." }
}
