/// A large value that is stored outside its row.
struct ExternalValue {
    /// The slot, which holds the value's number.
    let slot: Int
    /// The value's key in the table of large values.
    let number: Int64
    /// The bytes.
    let value: StoredValue
}

extension ManagedObject {
    /// Returns the value in a slot of an object that is not a fault; a large value is read from its table if
    /// needed.
    ///
    /// - Throws: ``ObjectStorageError`` if the large value no longer exists or cannot be read.
    final func completeValue(inSlot slot: Int) throws(ObjectStorageError) -> StoredValue {
        let value = value(inSlot: slot)
        if case .text(let fileName) = value, isNameOfFile(value, inSlot: slot) {
            return try externalFile(named: fileName, slot: slot)
        }
        guard runtime.hasExternalAttributes, case .integer(let number) = value, isExternal(slot) else {
            return value
        }
        if let known = externalValue(slot, number) { return known }
        guard let managedObjectContext else {
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID): the object's context is gone, so “\(runtime.name(ofSlot: slot))” can no longer be read. Keep the context as long as its objects.",
                entityName: entity.name, objectID: objectID)
        }
        let found = try managedObjectContext.read("Reading “\(runtime.name(ofSlot: slot))” of \(objectID)") {
            try LargeValueTable.value(number, in: $0)
        }
        guard let found else {
            throw ObjectStorageError(
                .objectMissing,
                "\(objectID), attribute “\(runtime.name(ofSlot: slot))”: the value is no longer in the store: it was replaced elsewhere, or its object was deleted. Refresh the object.",
                entityName: entity.name, propertyName: runtime.name(ofSlot: slot), objectID: objectID)
        }
        adopt([ExternalValue(slot: slot, number: number, value: found)])
        return found
    }

    /// Returns the value in a slot as ``completeValue(inSlot:)`` does; nil, with ``readError`` set, if it
    /// cannot be read.
    final func completeValueIfReadable(inSlot slot: Int) -> StoredValue? {
        do throws(ObjectStorageError) {
            return try completeValue(inSlot: slot)
        } catch {
            readError = error
            return nil
        }
    }

    /// Returns the value in a slot without reading the store: null if only a large value's number is known.
    final func knownValue(inSlot slot: Int) -> StoredValue {
        guard case .integer(let number) = values[slot] else { return values[slot] }
        return externalValue(slot, number) ?? .null
    }

    /// Returns the representation of a value in a slot: the number of a large value that the store already
    /// has for this slot, otherwise the value.
    final func shortValue(_ value: StoredValue, inSlot slot: Int) -> StoredValue {
        guard case .blob(let bytes) = value, bytes.count >= LargeValueTable.minimumSize,
            let known = externalValues.first(where: { $0.slot == slot && $0.value == value })
        else { return value }
        let number = StoredValue.integer(known.number)
        return (committedValues ?? values)[slot] == number ? number : value
    }

    /// Stores large values that were read, and sets their slots to their numbers.
    final func adopt(_ external: [ExternalValue]) {
        for value in external {
            if values[value.slot] == value.value { values[value.slot] = .integer(value.number) }
            guard values[value.slot] == .integer(value.number) else { continue }
            externalValues.removeAll { $0.slot == value.slot }
            externalValues.append(value)
        }
    }

    private func externalValue(_ slot: Int, _ number: Int64) -> StoredValue? {
        externalValues.first { $0.slot == slot && $0.number == number }?.value
    }

    /// Returns whether a value is the name of a file that contains the slot's value.
    final func isNameOfFile(_ value: StoredValue, inSlot slot: Int) -> Bool {
        guard runtime.hasExternalFiles, case .text = value else { return false }
        return entity.storedAttributes.indices.contains(slot)
            && entity.mapping?.table.forms[entity.storedAttributes[slot].name] == .prefixedBytes
    }

    private func isExternal(_ slot: Int) -> Bool {
        entity.storedAttributes.indices.contains(slot) && entity.storedAttributes[slot].allowsExternalStorage
    }
}
