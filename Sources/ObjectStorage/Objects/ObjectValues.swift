/// The values of an object's attributes and to-one relationships at one time, by name.
package struct ObjectValues: Hashable, Sendable {
    private let names: [String]
    private let values: [StoredValue]
    /// The slots of large values of which only the number is known, and of references to unsaved objects.
    private let unknownSlots: [Int]

    /// Creates the values of an object by slot.
    init(_ values: [StoredValue], of runtime: EntityRuntime) {
        names = runtime.slotNames
        let entity = runtime.description
        self.values = Array(values.prefix(entity.storedAttributes.count + entity.toOneRelationships.count))
        let references = entity.storedAttributes.count..<self.values.count
        unknownSlots =
            runtime.externalSlots.filter { slot in
                if slot < values.count, case .integer = values[slot] { true } else { false }
            }
            + references.filter { slot in
                if case .integer(ObjectID.firstUnsavedKey...) = values[slot] { true } else { false }
            }
    }

    /// The value of a property; nil if the entity has no such property, or the value is unknown.
    ///
    /// - Complexity: O(*p*) in the number of properties.
    package subscript(name: String) -> StoredValue? {
        guard let slot = names.firstIndex(of: name), slot < values.count, !unknownSlots.contains(slot) else {
            return nil
        }
        return values[slot]
    }

    /// The known values by the names of the properties.
    package var dictionary: [String: StoredValue] {
        var dictionary: [String: StoredValue] = [:]
        for slot in values.indices where !unknownSlots.contains(slot) {
            dictionary[names[slot]] = values[slot]
        }
        return dictionary
    }
}
