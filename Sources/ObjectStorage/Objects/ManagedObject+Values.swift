extension ManagedObject {
    /// The place of the property whose wrapper is stored at `storage`, if it was asked for before; nil for
    /// prototypes.
    @usableFromInline
    final func knownSortKey(at storage: AnyKeyPath) -> Int? { runtime.knownSortKey(ofStorage: storage) }

    /// Finds the place of a property that was not asked for before; nil for prototypes, whose recorder hears
    /// of it.
    ///
    /// - Parameter wrapperPlace: Gives the place that the property's wrapper has in a prototype.
    @usableFromInline
    final func learnSortKey(at storage: AnyKeyPath, wrapperPlace: (ManagedObject) -> Int) -> Int? {
        if let recorder = runtime.recorder {
            recorder.record(nameOfProperty(at: wrapperPlace(self)), readOn: self)
            return nil
        }
        return runtime.learnSortKey(ofStorage: storage, wrapperPlace: wrapperPlace)
    }

    /// The name of a prototype's property by the place of its wrapper.
    final func nameOfProperty(at wrapperPlace: Int) -> String {
        guard let shape = runtime.shape, shape.names.indices.contains(wrapperPlace) else {
            preconditionFailure("A property of \(type(of: self)) is not made by its initialiser.")
        }
        return shape.names[wrapperPlace]
    }

    /// The value in a slot, read if need be; nil, with ``readError`` set, if the row cannot be read.
    @usableFromInline
    final func storedValue(inSlot slot: Int) -> StoredValue? {
        if slot >= runtime.numberOfSlots { return transientValue(inSlot: slot) }
        guard loadIfNeeded() else { return nil }
        return runtime.hasExternalAttributes ? completeValueIfReadable(inSlot: slot) : value(inSlot: slot)
    }

    /// The value of the transient attribute with a slot.
    private func transientValue(inSlot slot: Int) -> StoredValue {
        let place = slot - runtime.numberOfSlots
        return transientValues?[place] ?? entity.attributes.filter(\.isTransient)[place].defaultValue
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

    /// Notes that the column holds something that the property's type cannot show.
    @usableFromInline
    final func noteUnreadable(
        _ value: StoredValue, inSlot slot: Int, as type: Any.Type, because reason: String? = nil
    ) {
        // A value that was never set is not unreadable: the save will ask for it.
        if value.isNull, state == .inserted { return }
        readError = unreadable(value, named: runtime.name(ofSlot: slot), as: type, because: reason)
    }

    /// Notes that a value was not taken because nothing can be stored of it; the property stays as it was.
    final func noteUnwritable(_ value: Any, inSlot slot: Int, because error: any Error) {
        let name = runtime.name(ofSlot: slot)
        readError = ObjectStorageError(
            .invalidValue,
            "\(objectID), attribute “\(name)”: the transformer makes no bytes of \(value) (\(error)). The value stays as it was.",
            entityName: entity.name, propertyName: name, objectID: objectID)
    }

    /// The error for a value that the property's type cannot show.
    final func unreadable(
        _ value: StoredValue, named name: String, as type: Any.Type, because reason: String?
    ) -> ObjectStorageError {
        ObjectStorageError(
            .invalidValue,
            "\(objectID), attribute “\(name)”: the store holds \(value), which is no \(type)\(reason.map { " (\($0))" } ?? ""). "
                + "Another program wrote it, or the attribute's type changed; assign a value and save.",
            entityName: entity.name, propertyName: name, objectID: objectID)
    }

    /// The value of an attribute, or the key of a to-one relationship's object, by the property's name.
    ///
    /// - Throws: ``ObjectStorageError``: no such property, or the row cannot be read.
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
    /// - Throws: ``ObjectStorageError``: no such attribute, a value that its type cannot hold (the value
    ///   stays as it was), or a row that cannot be read.
    public final func setValue(_ value: StoredValue, forProperty name: String) throws(ObjectStorageError) {
        guard let attribute = entity.attribute(named: name) else { throw entity.unknownProperty(name) }
        let value = attribute.type.normalized(value)
        guard attribute.type.accepts(value) else {
            throw ObjectStorageError(
                .invalidValue,
                "\(objectID), attribute “\(name)”: \(value) is no \(attribute.type.rawValue).",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
        let slot = try columnSlot(named: name)
        try load()
        guard !isDeleted else { throw deletedError }
        setStoredValue(value, inSlot: slot)
    }

    /// The value of the attribute called `name`; a name that the entity lacks is a programmer's error and
    /// traps.
    public final subscript(name: String) -> StoredValue {
        get {
            guard let place = runtime.place(ofPropertyNamed: name), place >= 0 else {
                preconditionFailure(entity.unknownProperty(name).message)
            }
            return storedValue(inSlot: place) ?? .null
        }
        set {
            guard let place = runtime.place(ofPropertyNamed: name),
                let attribute = entity.attribute(named: name)
            else {
                preconditionFailure(entity.unknownProperty(name).message)
            }
            setStoredValue(attribute.type.normalized(newValue), inSlot: place)
        }
    }

    private func columnSlot(named name: String) throws(ObjectStorageError) -> Int {
        guard let place = runtime.place(ofPropertyNamed: name) else { throw entity.unknownProperty(name) }
        guard place >= 0 else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(entity.name).\(name)” is a to-many relationship and has no single value. Use relatedObjects(_:).",
                entityName: entity.name, propertyName: name)
        }
        return place
    }

    /// Stores a value in a slot and tells the context.
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

    /// What is said of a property that is set although the object is deleted, which another program may have
    /// done.
    final var deletedError: ObjectStorageError {
        ObjectStorageError(
            .objectMissing,
            "\(objectID) is deleted, so its properties cannot be set. Look at isDeleted before, or make a new object.",
            entityName: entity.name, objectID: objectID)
    }

    /// Whether the object is new, and a value that is set concerns nothing else.
    private final var isPlainNewObject: Bool {
        state == .inserted && isPending && details == nil && !runtime.recordsUndo
            && !runtime.hasExternalAttributes
    }

    /// Keeps the values as they were read, and lists the object with its context.
    final func willChange(slot: Int) {
        // Nothing more is to be noted of a new object, or of one that was changed before.
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
    /// Reads the row if it was not read yet.
    ///
    /// - Throws: ``ObjectStorageError``: the row is gone or cannot be read.
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

    /// Reads the row if needed; false, with ``readError`` set, when that fails.
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

    /// Takes over values that were just read, unless the object has changes of its own.
    final func adopt(_ row: [StoredValue]) {
        guard state == .clean else { return }
        values = row
        isFault = false
        readError = nil
    }
}
