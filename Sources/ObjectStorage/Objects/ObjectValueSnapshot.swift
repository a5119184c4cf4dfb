/// What an object with unsaved changes shows at some moment, to tell later whether it shows something else.
package struct ObjectValueSnapshot {
    private let values: [StoredValue]
    /// Whether the row was not read, so that the object showed what the store has.
    package let isOfFault: Bool
    /// Relationships that were assigned since the last save, whose keys may not have been known.
    private let references: [Int: ManagedObject]
    /// Those of them that led to objects which were deleted.
    private let emptySlots: Set<Int>
    private let linkChangeCount: Int
    /// Whether the object was to be deleted.
    package let isDeleted: Bool

    /// What an object shows now.
    package init(of object: ManagedObject) {
        isOfFault = object.isFault
        values = isOfFault ? [] : object.values
        references = object.assignedReferences
        emptySlots = Self.emptySlots(references)
        linkChangeCount = object.linkChangeCount
        isDeleted = object.isDeleted
    }

    /// Whether the object that this is of still shows the same.
    ///
    /// False after a link was changed and changed back, because changes of links are counted and not compared.
    /// The row of a fault is not compared: the log tells whether it changed.
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

    /// Whether a large value is the same, which a save has replaced in its slot by its number.
    private func isKeptOutside(_ slot: Int, by object: ManagedObject) -> Bool {
        guard object.runtime.hasExternalAttributes, case .blob = values[slot],
            case .integer = object.values[slot]
        else { return false }
        return object.knownValue(inSlot: slot) == values[slot]
    }

    private static func emptySlots(_ references: [Int: ManagedObject]) -> Set<Int> {
        Set(references.lazy.filter(\.value.isDeleted).map(\.key))
    }

    /// A value, or the identity that a relationship leads to.
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
    /// The objects of some tables with unsaved changes, each with what it shows.
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
