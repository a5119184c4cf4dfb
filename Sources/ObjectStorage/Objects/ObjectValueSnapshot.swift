/// The values that an object with unsaved changes shows at one time, to be compared with its values later.
package struct ObjectValueSnapshot {
    private let values: [StoredValue]
    /// Whether the object was a fault, so that it showed the store's values.
    package let isOfFault: Bool
    /// The objects assigned to to-one relationships since the last save, by slot. They may not have had
    /// primary keys.
    private let references: [Int: ManagedObject]
    /// The slots of `references` whose objects were deleted.
    private let emptySlots: Set<Int>
    private let linkChangeCount: Int
    /// Whether the object was deleted.
    package let isDeleted: Bool
    /// Whether the object was new, so that it had no row.
    package let isOfNewObject: Bool

    /// Captures the values that an object shows now.
    package init(of object: ManagedObject) {
        isOfFault = object.isFault
        values = isOfFault ? [] : object.values
        references = object.assignedReferences
        emptySlots = Self.emptySlots(references)
        linkChangeCount = object.linkChangeCount
        isDeleted = object.isDeleted
        isOfNewObject = object.isInserted
    }

    /// The values by slot, with the current keys of the assigned objects; nil for a fault. The key of an
    /// unsaved object is the one that it has in child contexts.
    package var resolvedValues: [StoredValue]? {
        guard !isOfFault else { return nil }
        var resolved = values
        for (slot, target) in references {
            if emptySlots.contains(slot) {
                resolved[slot] = .null
            } else {
                resolved[slot] = .integer(target.identityKey.unsavedKey)
            }
        }
        return resolved
    }

    /// Returns whether relationships of the object in link tables have changed since the capture.
    package func isRelinked(_ object: ManagedObject) -> Bool { linkChangeCount != object.linkChangeCount }

    /// Returns whether the object still shows the same values.
    ///
    /// The result is false after a link was changed and changed back, because link changes are counted and
    /// not compared. The row of a fault is not compared: the change log records whether it changed.
    package func isShown(by object: ManagedObject) -> Bool {
        guard isDeleted == object.isDeleted, linkChangeCount == object.linkChangeCount else { return false }
        if isOfFault { return !object.hasChangedValues }
        if object.isFault { return false }
        let current = object.values
        guard values.count == current.count else { return false }
        let currentReferences = object.assignedReferences
        let currentlyEmpty = Self.emptySlots(currentReferences)
        return values.indices.allSatisfy {
            Self.value($0, values, references, emptySlots)
                == Self.value($0, current, currentReferences, currentlyEmpty)
                || isKeptOutside($0, by: object)
        }
    }

    /// Returns whether a large value, which a save has replaced in its slot by its number, is unchanged.
    private func isKeptOutside(_ slot: Int, by object: ManagedObject) -> Bool {
        guard object.runtime.hasExternalAttributes, case .blob = values[slot],
            case .integer = object.values[slot]
        else { return false }
        return object.knownValue(inSlot: slot) == values[slot]
    }

    private static func emptySlots(_ references: [Int: ManagedObject]) -> Set<Int> {
        Set(references.lazy.filter(\.value.isDeleted).map(\.key))
    }

    /// The comparable content of a slot: a value, or the identity of an unsaved related object.
    private enum Shown: Equatable {
        case value(StoredValue)
        case unsaved(ObjectIdentifier)
    }

    private static func value(
        _ slot: Int, _ values: [StoredValue], _ references: [Int: ManagedObject], _ emptySlots: Set<Int>
    ) -> Shown {
        guard let target = references[slot] else { return .value(values[slot]) }
        if emptySlots.contains(slot) { return .value(.null) }
        return target.rowKey.map { .value(.integer($0)) } ?? .unsaved(ObjectIdentifier(target))
    }
}

extension ManagedObjectContext {
    /// Returns the objects of some tables with unsaved changes, each with the values that it shows.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes.
    package func contentsOfChangedObjects(
        ofTablesNamed tableNames: Set<String>
    ) -> [ManagedObject: ObjectValueSnapshot] {
        var contents: [ManagedObject: ObjectValueSnapshot] = [:]
        for object in pending where object.hasChanges && tableNames.contains(object.entity.tableName) {
            contents[object] = ObjectValueSnapshot(of: object)
        }
        return contents
    }
}
