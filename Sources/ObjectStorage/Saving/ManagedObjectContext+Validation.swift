// The validation of changes before a save writes them.

import GRDB

extension ManagedObjectContext {
    /// Validates all changes of a save.
    ///
    /// - Throws: ``ObjectStorageError`` with all violations, each of which names entity, property and object.
    func validate(_ changes: PendingChanges) throws(ObjectStorageError) {
        var faults: [ObjectStorageError] = []
        for object in changes.inserted + changes.updated { Self.validate(object, &faults) }
        if container.model.hasAllowedCounts {
            // Sorted, because the order of a set is random.
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

    /// Throws the reasons of all assignments that could not be made.
    func checkRefusedAssignments() throws(ObjectStorageError) {
        guard !refusedAssignments.isEmpty else { return }
        try ObjectStorageError.throwAll(refusedAssignments.filter { !$0.object.isDeleted }.map(\.error))
    }

    /// Returns the violations in rows that deletions affect and that may not be in memory, found by writing
    /// the changes and rolling them back. The result is empty if the changes cannot be written now, because
    /// the save to the store checks again.
    ///
    /// - Throws: ``ObjectStorageError`` if an ancestor cannot carry out its deletions.
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

    /// Returns the objects whose number of related objects may have changed: changed objects, and the
    /// previous and current destinations of their to-one relationships.
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
        // Objects that were deleted elsewhere have no required relationships.
        return counted.filter { !$0.isDeleted && $0.loadIfNeeded() }
    }
}

extension ManagedObjectContext {
    /// Checks the rules that SQLite does not enforce: required values are present, and values fit their
    /// types.
    private static func validate(_ object: ManagedObject, _ faults: inout [ObjectStorageError]) {
        let runtime = object.runtime
        let values = object.values
        for (slot, check) in runtime.checks.enumerated() {
            // Copying an attribute takes longer than checking a value.
            var attribute: AttributeDescription { object.entity.storedAttributes[slot] }
            if !check.accepts(values[slot]) {
                // The value was checked before it was moved to the file.
                if object.isNameOfFile(values[slot], inSlot: slot) { continue }
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

    /// Returns the error for a value that an attribute rejects.
    private static func rejection(
        of value: StoredValue, by attribute: AttributeDescription, of object: ManagedObject
    ) -> ObjectStorageError {
        if value.isNull { return .missingValue(attribute.name, of: object.objectID, nothingSaved) }
        return ObjectStorageError(
            .invalidValue,
            "\(object.objectID), attribute “\(attribute.name)”: \(value) is not a valid value of type \(attribute.type.rawValue). \(nothingSaved)",
            entityName: object.entity.name, propertyName: attribute.name, objectID: object.objectID)
    }

    /// Checks that relationships lead to an allowed number of objects.
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
