extension ManagedObject {
    /// Returns the slot of the property whose wrapper is stored at `storage`, if it was accessed before; nil
    /// for prototypes.
    @usableFromInline
    final func knownSlot(at storage: AnyKeyPath) -> Int? { runtime.knownSlot(ofStorage: storage) }

    /// Finds the slot of a property at its first access. A prototype's recorder records the access, and the
    /// result is nil.
    ///
    /// - Parameter wrapperPosition: Returns the position of the property's wrapper in a prototype.
    @usableFromInline
    final func findSlot(at storage: AnyKeyPath, wrapperPosition: (ManagedObject) -> Int) -> Int? {
        if let recorder = runtime.recorder {
            recorder.record(nameOfProperty(at: wrapperPosition(self)), readOn: self)
            return nil
        }
        return runtime.findSlot(ofStorage: storage, wrapperPosition: wrapperPosition)
    }

    /// Returns the name of a prototype's property by the position of its wrapper.
    final func nameOfProperty(at wrapperPosition: Int) -> String {
        guard let layout = runtime.layout, layout.names.indices.contains(wrapperPosition) else {
            preconditionFailure("A property of \(type(of: self)) is not created by its initializer.")
        }
        return layout.names[wrapperPosition]
    }

    /// Returns the value in a slot, reading the row if needed; nil, with ``readError`` set, if it cannot be
    /// read.
    @usableFromInline
    final func storedValue(inSlot slot: Int) -> StoredValue? {
        if slot >= runtime.numberOfSlots { return transientValue(inSlot: slot) }
        guard loadIfNeeded() else { return nil }
        return runtime.hasExternalAttributes || runtime.hasExternalFiles
            ? completeValueIfReadable(inSlot: slot) : value(inSlot: slot)
    }

    /// Returns the value of the transient attribute with a slot.
    private func transientValue(inSlot slot: Int) -> StoredValue {
        let index = slot - runtime.numberOfSlots
        return transientValues?[index] ?? entity.attributes.filter(\.isTransient)[index].defaultValue
    }

    private func setTransientValue(_ value: StoredValue, inSlot slot: Int) {
        var values = transientValues ?? entity.attributes.filter(\.isTransient).map(\.defaultValue)
        values[slot - runtime.numberOfSlots] = value
        transientValues = values
    }

    /// Sets the value in a slot.
    @usableFromInline
    final func setStoredValue(_ value: StoredValue, inSlot slot: Int) {
        set(value, slot: slot)
        endChange()
    }

    /// Sets ``readError`` because the stored value cannot be converted to the property's type.
    @usableFromInline
    final func noteUnreadable(
        _ value: StoredValue, inSlot slot: Int, as type: Any.Type, because reason: String? = nil
    ) {
        // A value that was never set is not an error yet: the save validates it.
        if value.isNull, state == .inserted { return }
        readError = unreadable(value, named: runtime.name(ofSlot: slot), as: type, because: reason)
    }

    /// Sets ``readError`` because a transformer cannot encode an assigned value; the property keeps its
    /// value.
    final func noteUnwritable(_ value: Any, inSlot slot: Int, because error: any Error) {
        let name = runtime.name(ofSlot: slot)
        readError = ObjectStorageError(
            .invalidValue,
            "\(objectID), attribute “\(name)”: the transformer cannot encode \(value) (\(error)). The attribute keeps its value.",
            entityName: entity.name, propertyName: name, objectID: objectID)
    }

    /// Returns the error for a stored value that cannot be converted to the property's type.
    final func unreadable(
        _ value: StoredValue, named name: String, as type: Any.Type, because reason: String?
    ) -> ObjectStorageError {
        ObjectStorageError(
            .invalidValue,
            "\(objectID), attribute “\(name)”: the stored value \(value) is not a valid \(type)\(reason.map { " (\($0))" } ?? ""). "
                + "Another program wrote it, or the attribute's type changed; assign a new value and save.",
            entityName: entity.name, propertyName: name, objectID: objectID)
    }

    /// Returns the value of an attribute, or the key of a to-one relationship's object, by the property's
    /// name.
    ///
    /// - Parameter name: The name of an attribute or a to-one relationship.
    /// - Returns: The value as SQLite stores it; null for none, and for a related object that was never
    ///   saved.
    /// - Throws: ``ObjectStorageError`` if the entity has no such property, or the row cannot be read.
    public final func value(forProperty name: String) throws(ObjectStorageError) -> StoredValue {
        let slot = try columnSlot(named: name)
        if slot >= runtime.numberOfSlots { return transientValue(inSlot: slot) }
        try load()
        if let object = assignedReferences[slot] {
            guard object.state != .gone else { return .null }
            return object.objectID.primaryKey.map(StoredValue.integer) ?? .null
        }
        return try completeValue(inSlot: slot)
    }

    /// Sets the value of an attribute by its name.
    ///
    /// - Parameters:
    ///   - value: The value as SQLite stores it; null for none. An integer is converted for a floating-point
    ///     attribute, and a number for a decimal one.
    ///   - name: The name of the attribute.
    /// - Throws: ``ObjectStorageError`` if the entity has no such attribute, its type cannot hold the value,
    ///   the object is deleted, or the row cannot be read. The attribute then keeps its value.
    public final func setValue(_ value: StoredValue, forProperty name: String) throws(ObjectStorageError) {
        guard let attribute = entity.attribute(named: name) else { throw entity.unknownProperty(name) }
        let value = attribute.type.normalized(value)
        guard attribute.type.accepts(value) else {
            throw ObjectStorageError(
                .invalidValue,
                "\(objectID), attribute “\(name)”: \(value) is not a valid value of type \(attribute.type.rawValue).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        let slot = try columnSlot(named: name)
        try load()
        guard !isDeleted else { throw deletedError }
        setStoredValue(value, inSlot: slot)
    }

    /// The value of the attribute called `name`. A name that the entity does not have is a programming error
    /// and traps.
    ///
    /// If the row cannot be read, the value is null and ``readError`` has the reason.
    ///
    /// - Parameter name: The name of an attribute. The name of a to-one relationship is valid only for
    ///   reading, which gives the key of the related object.
    public final subscript(name: String) -> StoredValue {
        get {
            guard let slot = runtime.slot(ofPropertyNamed: name), slot >= 0 else {
                preconditionFailure(entity.unknownProperty(name).message)
            }
            return storedValue(inSlot: slot) ?? .null
        }
        set {
            guard let slot = runtime.slot(ofPropertyNamed: name),
                let attribute = entity.attribute(named: name)
            else {
                preconditionFailure(entity.unknownProperty(name).message)
            }
            setStoredValue(attribute.type.normalized(newValue), inSlot: slot)
        }
    }

    private func columnSlot(named name: String) throws(ObjectStorageError) -> Int {
        guard let slot = runtime.slot(ofPropertyNamed: name) else { throw entity.unknownProperty(name) }
        guard slot >= 0 else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(entity.name).\(name)” is a to-many relationship and has no single value. Use relatedObjects(_:).",
                entityName: entity.name, propertyName: name)
        }
        return slot
    }

    /// Stores a value in a slot and records the change with the context.
    final func set(_ value: StoredValue, slot: Int) {
        if slot >= runtime.numberOfSlots { return setTransientValue(value, inSlot: slot) }
        if isPlainNewObject {
            madeValues[slot] = value
            noteReferences()
            return
        }
        guard loadIfNeeded() else { return }
        let value = runtime.hasExternalAttributes ? shortValue(value, inSlot: slot) : value
        guard !isDeleted else {
            readError = deletedError
            return
        }
        guard self.value(inSlot: slot) != value || assignedReferences[slot] != nil else { return }
        willChange(slot: slot)
        if details != nil { assignedReferences[slot] = nil }
        values[slot] = value
    }

    /// The error for setting a property of a deleted object. Another program may have deleted it.
    final var deletedError: ObjectStorageError {
        ObjectStorageError(
            .objectMissing,
            "\(objectID) is deleted, so its properties cannot be set. Check isDeleted first, or insert a new object.",
            entityName: entity.name, objectID: objectID)
    }

    /// Whether the object is new and setting a value has no side effects.
    private final var isPlainNewObject: Bool {
        state == .inserted && isPending && details == nil && !runtime.recordsUndo
            && !runtime.hasExternalAttributes
    }

    /// Keeps the values as they were read, and registers the object with its context as changed.
    final func willChange(slot: Int) {
        // A new object, or one that was changed before, is registered already.
        if isPending, state != .clean, !runtime.recordsUndo { return }
        guard let context = managedObjectContext else { return }
        if let undoManager = context.undoManager { recordForUndo(slot: slot, by: undoManager, context) }
        if state == .clean {
            state = .updated
            committedValues = values
        }
        context.notePending(self)
    }
}

extension ManagedObject {
    /// Reads the row if the object is a fault.
    ///
    /// - Throws: ``ObjectStorageError`` if the row no longer exists or cannot be read.
    /// - Complexity: O(log *n*) in the number of rows of the table.
    public final func load() throws(ObjectStorageError) {
        guard isFault else { return }
        guard let managedObjectContext else {
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID): the object's context is gone, so its values can no longer be read. Keep the context as long as its objects.",
                entityName: entity.name, objectID: objectID)
        }
        try managedObjectContext.load(self)
    }

    /// Reads the row if needed; returns false, with ``readError`` set, if that fails.
    final func loadIfNeeded() -> Bool {
        guard isFault else { return true }
        do {
            try load()
            return true
        } catch {
            readError = error
            return false
        }
    }

    /// Sets the values to a row that was just read, unless the object has unsaved changes.
    final func adopt(_ row: [StoredValue]) {
        guard state == .clean else { return }
        values = row
        if isFault { readEpoch = runtime.readEpoch }
        isFault = false
        readError = nil
    }
}
