extension ManagedObject {
    /// Returns a prototype for the destination of a prototype's relationship, and records the access; nil for
    /// other objects.
    func relatedPrototype(of type: ManagedObject.Type, wrapperPosition: Int) -> ManagedObject? {
        guard let recorder = runtime.recorder else { return nil }
        let next = ManagedObject.prototype(of: type, recorder: recorder)
        recorder.record(nameOfProperty(at: wrapperPosition), readOn: self, leadingTo: next)
        return next
    }

    /// Returns the objects that the to-many relationship in a slot leads to; empty, with ``readError`` set,
    /// if they cannot be read.
    ///
    /// - Parameter slot: −1 − the relationship's position in the entity; see
    ///   ``EntityRuntime/slot(ofPropertyNamed:)``.
    func relatedObjects(inSlot slot: Int) -> [ManagedObject] {
        do {
            return try relatedObjects(through: entity.relationships[-1 - slot])
        } catch {
            readError = error
            return []
        }
    }

    /// Sets the to-many relationship in a slot to `objects`.
    func setRelatedObjects(_ objects: [ManagedObject], inSlot slot: Int) {
        forgetRefusedAssignments(slot: slot)
        do throws(ObjectStorageError) {
            try setRelatedObjects(objects, through: entity.relationships[-1 - slot])
        } catch {
            if error.code == .wrongContext { refuseAssignment(error, slot: slot) } else { readError = error }
        }
    }

    /// Sets the to-many relationship called `name` to `objects`, in their order if the relationship is
    /// ordered.
    ///
    /// - Parameters:
    ///   - objects: The related objects, which replace all earlier ones. A repeated object counts once, and a
    ///     deleted one is ignored.
    ///   - name: The name of the relationship.
    /// - Throws: ``ObjectStorageError`` if there is no such to-many relationship, an object is of another
    ///   entity or context, this object is deleted, or the store cannot be read.
    /// - Complexity: O(*n* + *u*) for *n* related objects and *u* objects with unsaved changes.
    public final func setRelatedObjects(
        _ objects: [ManagedObject], forRelationship name: String
    ) throws(ObjectStorageError) {
        let relationship = try toMany(named: name)
        for object in objects { try requireFit(of: object, for: relationship) }
        try setRelatedObjects(objects, through: relationship)
    }

    /// Throws an error if a relationship cannot lead to an object because of its entity or context.
    private func requireFit(
        of object: ManagedObject, for relationship: RelationshipDescription
    ) throws(ObjectStorageError) {
        guard object.entity.isKind(ofEntityNamed: relationship.destinationEntityName) else {
            throw ObjectStorageError(
                .invalidValue,
                "“\(entity.name).\(relationship.name)” leads to “\(relationship.destinationEntityName)”, not to \(object.objectID).",
                entityName: entity.name, propertyName: relationship.name, objectID: objectID)
        }
        guard object.managedObjectContext === managedObjectContext else {
            throw otherContextError(of: object, relationshipName: relationship.name)
        }
    }

    private func otherContextError(of object: ManagedObject, relationshipName: String) -> ObjectStorageError {
        ObjectStorageError(
            .wrongContext,
            "“\(entity.name).\(relationshipName)” of \(objectID) cannot lead to \(object.objectID), which belongs to another context. Fetch it in this context by its ID.",
            entityName: entity.name, propertyName: relationshipName, objectID: objectID)
    }

    private func setRelatedObjects(
        _ objects: [ManagedObject], through relationship: RelationshipDescription
    ) throws(ObjectStorageError) {
        let current = try relatedObjects(through: relationship)
        guard let context = managedObjectContext else { return }
        guard !isDeleted else { throw deletedError }
        for object in objects where object.managedObjectContext !== context {
            throw otherContextError(of: object, relationshipName: relationship.name)
        }
        var seen: Set<ManagedObject> = []
        let objects = objects.filter { !$0.isDeleted && seen.insert($0).inserted }
        if let end = context.container.model.linkEnd(of: relationship, in: entity) {
            return context.link(self, at: end, to: objects, insteadOf: current)
        }
        guard let inverse = relationship.inverseName else { return }
        for object in current where !seen.contains(object) { object.setRelatedObject(nil, named: inverse) }
        let known = Set(current)
        for object in objects where !known.contains(object) { object.setRelatedObject(self, named: inverse) }
        guard relationship.isOrdered, objects != current else { return }
        // A position in another object's list is meaningless here.
        let positions = objects.map { known.contains($0) ? $0.position(inOrderOf: inverse) : nil }
        objects.assignPositions(inOrderOf: inverse, current: positions)
        context.forgetUnpositionedMembers(in: self, through: relationship.name)
    }

    /// Returns the object that the to-one relationship called `name` leads to.
    ///
    /// - Parameter name: The name of the relationship.
    /// - Returns: The object; nil if the relationship leads to none.
    /// - Throws: ``ObjectStorageError`` if there is no such to-one relationship, or the row cannot be read.
    public final func relatedObject(_ name: String) throws(ObjectStorageError) -> ManagedObject? {
        let slot = try toOneSlot(named: name)
        try load()
        return try toOneObject(slot: slot)
    }

    /// Sets the to-one relationship called `name` to `object`.
    ///
    /// - Parameters:
    ///   - object: The object; nil for none.
    ///   - name: The name of the relationship.
    /// - Throws: ``ObjectStorageError`` if there is no such to-one relationship, the object is of another
    ///   entity or context, this object is deleted, or the row cannot be read.
    public final func setRelatedObject(
        _ object: ManagedObject?, forRelationship name: String
    ) throws(ObjectStorageError) {
        let slot = try toOneSlot(named: name)
        try load()
        guard !isDeleted else { throw deletedError }
        if let object, let relationship = entity.relationship(named: name) {
            try requireFit(of: object, for: relationship)
        }
        setRelatedObject(object, slot: slot)
    }

    /// Returns the objects that the to-many relationship called `name` leads to. Objects of an ordered
    /// relationship are in its order; other objects are in the order of their keys, new ones last.
    ///
    /// - Parameter name: The name of the relationship.
    /// - Throws: ``ObjectStorageError`` if there is no such to-many relationship, or the store cannot be
    ///   read.
    /// - Complexity: O(*n* + *u*) for *n* related objects and *u* objects with unsaved changes.
    public final func relatedObjects(_ name: String) throws(ObjectStorageError) -> [ManagedObject] {
        try relatedObjects(through: toMany(named: name))
    }

    private func toMany(named name: String) throws(ObjectStorageError) -> RelationshipDescription {
        guard let relationship = entity.relationship(named: name) else { throw entity.unknownProperty(name) }
        guard relationship.isToMany else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(entity.name).\(name)” is a to-one relationship. Use relatedObject(_:) and setRelatedObject(_:forRelationship:).",
                entityName: entity.name, propertyName: name)
        }
        return relationship
    }

    private func toOneSlot(named name: String) throws(ObjectStorageError) -> Int {
        guard let relationship = entity.relationship(named: name) else { throw entity.unknownProperty(name) }
        guard !relationship.isToMany, let slot = runtime.slot(ofToOneNamed: name) else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(entity.name).\(name)” is a to-many relationship. Use relatedObjects(_:).",
                entityName: entity.name, propertyName: name)
        }
        return slot
    }

    /// Returns the object that the to-one relationship in a slot leads to; nil, with ``readError`` set, if it
    /// cannot be read.
    func relatedObject(slot: Int) -> ManagedObject? {
        guard loadIfNeeded() else { return nil }
        do throws(ObjectStorageError) {
            return try toOneObject(slot: slot)
        } catch {
            readError = error
            return nil
        }
    }

    private func toOneObject(slot: Int) throws(ObjectStorageError) -> ManagedObject? {
        if let object = assignedReferences[slot] { return object.isDeleted ? nil : object }
        guard case .integer(let key) = values[slot], let context = managedObjectContext else { return nil }
        let relationship = entity.toOneRelationships[slot - entity.storedAttributes.count]
        guard let runtime = context.runtime(ofEntityNamed: relationship.destinationEntityName) else {
            return nil
        }
        let prefetched = currentPrefetch
        let object = try context.object(ledToBy: key, runtime, prefetched: prefetched)
        prefetched?.fill(object)
        return object.isDeleted ? nil : object
    }

    private func setRelatedObject(_ object: ManagedObject?, named name: String) {
        guard let slot = runtime.slot(ofToOneNamed: name) else { return }
        setRelatedObject(object, slot: slot)
    }

    /// Sets the to-one relationship in a slot, and its inverse.
    ///
    /// In a one-to-one relationship, the previous partners of both objects are unlinked. A deleted object
    /// counts as nil.
    func setRelatedObject(_ object: ManagedObject?, slot: Int) {
        if let object, object.managedObjectContext !== managedObjectContext {
            let error = otherContextError(of: object, relationshipName: runtime.slotNames[slot])
            forgetRefusedAssignments(slot: slot)
            return refuseAssignment(error, slot: slot)
        }
        let object = object?.isDeleted == true ? nil : object
        defer { endChange() }
        guard let inverse = runtime.toOneInverses[slot - entity.storedAttributes.count] else {
            return assignRelatedObject(object, slot: slot)
        }
        let previous = relatedObject(slot: slot)
        assignRelatedObject(object, slot: slot)
        guard previous !== object, relatedObject(slot: slot) === object else { return }
        if let previous, previous.led(by: inverse) === self { previous.assign(nil, named: inverse) }
        guard let object else { return }
        if let rival = object.led(by: inverse), rival !== self {
            rival.assign(nil, named: runtime.slotNames[slot])
        }
        object.assign(self, named: inverse)
    }

    /// Returns the object that the to-one relationship called `name` leads to; nil, with ``readError`` set,
    /// if it cannot be read.
    private func led(by name: String) -> ManagedObject? {
        runtime.slot(ofToOneNamed: name).flatMap(relatedObject(slot:))
    }

    private func assign(_ object: ManagedObject?, named name: String) {
        guard let slot = runtime.slot(ofToOneNamed: name) else { return }
        assignRelatedObject(object, slot: slot)
    }

    /// Sets the to-one relationship in a slot without setting its inverse.
    ///
    /// If the inverse is ordered, the object moves to the end of the new list, unless the relationship led
    /// there before.
    func assignRelatedObject(_ object: ManagedObject?, slot: Int) {
        guard !entity.orderedToOneNames.isEmpty,
            let orderSlot = runtime.slot(ofOrderOf: runtime.slotNames[slot]), loadIfNeeded()
        else { return lead(to: object, slot: slot) }
        let previous = (values[slot], assignedReferences[slot])
        lead(to: object, slot: slot)
        guard values[slot] != previous.0 || assignedReferences[slot] !== previous.1 else { return }
        set(.null, slot: orderSlot)
        noteUnpositionedMember(slot: slot)
    }

    /// Sets the to-one relationship in a slot without setting its inverse or the object's position in an
    /// ordered inverse.
    ///
    /// A relationship to an object whose row was deleted counts as nil until the row is restored.
    func lead(to object: ManagedObject?, slot: Int) {
        forgetRefusedAssignments(slot: slot)
        guard let object else {
            set(.null, slot: slot)
            return
        }
        guard object.managedObjectContext === managedObjectContext else {
            return refuseAssignment(
                otherContextError(of: object, relationshipName: runtime.slotNames[slot]), slot: slot)
        }
        if let key = object.rowKey, object.state != .gone {
            set(.integer(key), slot: slot)
        } else {
            guard loadIfNeeded(), assignedReferences[slot] !== object else { return }
            guard !isDeleted else {
                readError = deletedError
                return
            }
            willChange(slot: slot)
            assignedReferences[slot] = object
            values[slot] = .null
        }
    }

    private func relatedObjects(
        through relationship: RelationshipDescription
    ) throws(ObjectStorageError) -> [ManagedObject] {
        guard let context = managedObjectContext else {
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID): the object's context is gone, so its relationships can no longer be read. Keep the context as long as its objects.",
                entityName: entity.name, propertyName: relationship.name, objectID: objectID)
        }
        return try context.objects(relatedTo: self, through: relationship)
    }
}
