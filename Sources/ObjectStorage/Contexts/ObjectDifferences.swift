/// The values that objects of a context showed before a change, and the properties that changed.
///
/// A value is either correct or unknown: it comes from an object that the context had, or from the save of
/// another context if nothing else can have changed the row in between.
package struct ObjectDifferences {
    /// The difference of one object.
    package struct Difference {
        /// The values before the change; nil if they are unknown.
        package let oldValues: ObjectValues?
        /// The names of the changed properties; nil if they are unknown.
        package let changedProperties: Set<String>?
    }

    private let context: ManagedObjectContext
    /// The objects with unsaved changes of the old state, and the values that they showed.
    private let shown: [ObjectID: (object: ManagedObject, values: ObjectValueSnapshot)]
    private let previousRows: PreviousRows
    /// The relationships in link tables with unsaved changes.
    private let changedLinkNames: [ManagedObject: Set<String>]
    /// Whether only contexts of the container made changes between the old and the new state. If so, the old
    /// values are those that these contexts had before their saves, and those of rows that were read in
    /// between.
    private let trustsSaves: Bool
    /// The epoch of reading in which the old state was found.
    private let oldEpoch: UInt64
    /// Whether unsaved changes are part of the new state.
    private let includesUnsavedChanges: Bool
    /// The properties that were written to any row, if all changes are known to be updates.
    private let writtenProperties: Set<String>?

    /// Creates the differences from an old state.
    ///
    /// - Parameters:
    ///   - shown: The objects with unsaved changes of the old state, and the values that they showed.
    ///   - previousRows: The rows that changed since the old state.
    ///   - trustsSaves: Whether all changes since the old state are saves and batches of the container's
    ///     contexts.
    ///   - writtenProperties: The properties that these saves and batches wrote, if they only updated rows.
    ///   - oldEpoch: The epoch of reading in which the old state was found.
    ///   - includesUnsavedChanges: Whether unsaved changes are part of the new state.
    package init(
        in context: ManagedObjectContext, shown: [ManagedObject: ObjectValueSnapshot],
        previousRows: PreviousRows, trustsSaves: Bool, writtenProperties: Set<String>?, oldEpoch: UInt64,
        includesUnsavedChanges: Bool
    ) {
        self.context = context
        var values: [ObjectID: (object: ManagedObject, values: ObjectValueSnapshot)] = [:]
        for (object, snapshot) in shown { values[object.objectID] = (object, snapshot) }
        self.shown = values
        self.previousRows = previousRows
        self.trustsSaves = trustsSaves
        self.writtenProperties = writtenProperties
        self.oldEpoch = oldEpoch
        self.includesUnsavedChanges = includesUnsavedChanges
        changedLinkNames = context.changedLinkNames
    }

    /// Returns the difference of an object.
    ///
    /// - Parameters:
    ///   - isRowChanged: Whether the object's row changed, not only rows to which its relationships lead.
    ///   - isMerged: Whether the context has merged all changes of the row.
    /// - Complexity: O(*p*) in the number of its properties.
    package func difference(of objectID: ObjectID, isRowChanged: Bool, isMerged: Bool) -> Difference {
        let object =
            shown[objectID]?.object ?? context.liveObject(with: objectID)
            ?? context.unsavedObject(objectID.key)
        // The ID may name an entity from which the object's entity inherits.
        let objectID = object?.objectID ?? objectID
        guard let runtime = object?.runtime ?? context.runtime(ofEntityNamed: objectID.entityName) else {
            return Difference(oldValues: nil, changedProperties: nil)
        }
        let shown = shown[objectID]
        let previous = previousRows[objectID].flatMap { row in
            row.values == nil || trustsSaves || row.readEpoch.map(isOfOldState) == true ? row : .unknown
        }
        let current = object.flatMap(presentValues)
        let old = oldValues(shown?.values, previous, object, current, isRowChanged)
        var changed: Set<String>?
        if let old, let current, let object, isMerged {
            changed = names(
                of: old.indices.filter { $0 >= current.count || differs(old[$0], current[$0], $0, object) },
                runtime)
        } else if shown != nil || object?.isPending == true {
            // Properties that unsaved changes or their rollback affect are unknown.
        } else if trustsSaves, let slots = previous?.writtenSlots {
            changed = names(of: slots, runtime)
        } else if let writtenProperties {
            changed = writtenProperties.filter { runtime.slot(ofPropertyNamed: $0) != nil }
        }
        let links = changedLinks(of: objectID, object, shown?.values, previous)
        return Difference(
            oldValues: old.map { ObjectValues($0, of: runtime) },
            changedProperties: links.flatMap { changed?.union($0) })
    }

    private func oldValues(
        _ shown: ObjectValueSnapshot?, _ previous: PreviousRow?, _ object: ManagedObject?,
        _ current: [StoredValue]?, _ isRowChanged: Bool
    ) -> [StoredValue]? {
        if let values = shown?.resolvedValues { return values }
        if let previous {
            return previous.values ?? (previous.writtenSlots == [] ? current : nil)
        }
        guard let object, object.state != .inserted, object.state != .gone, !object.isFault,
            trustsSaves || isOfOldState(object.readEpoch)
        else { return nil }
        // A row that changed although its object shows no unsaved changes was changed elsewhere.
        let isChangedElsewhere = isRowChanged && !(object.isPending && includesUnsavedChanges)
        return isChangedElsewhere ? nil : object.committedValues ?? object.values
    }

    /// Returns whether an object that was read in an epoch had its values when the old state was found.
    ///
    /// Only the low 16 bits of an epoch are recorded. The comparison is unambiguous in the range that is
    /// checked here; beyond it, an object that was read earlier counts as read later.
    private func isOfOldState(_ epoch: UInt16) -> Bool {
        context.readEpoch - oldEpoch < Int16.max / 2
            && Int16(bitPattern: UInt16(truncatingIfNeeded: oldEpoch) &- epoch) >= 0
    }

    /// Returns the values that an object has in the new state, with the keys of assigned objects; nil for a
    /// fault and for a deleted object.
    private func presentValues(of object: ManagedObject) -> [StoredValue]? {
        guard !object.isDeleted else { return nil }
        if !includesUnsavedChanges, let committed = object.committedValues { return committed }
        return ObjectValueSnapshot(of: object).resolvedValues
    }

    /// Returns whether a value of an object changed. A large value may be represented by its number.
    private func differs(_ old: StoredValue, _ new: StoredValue, _ slot: Int, _ object: ManagedObject) -> Bool
    {
        guard old != new else { return false }
        if object.runtime.hasExternalAttributes, case .blob = old, case .integer = new {
            return object.knownValue(inSlot: slot) != old
        }
        return true
    }

    /// Returns the names of the properties with given slots. A position in an ordered relationship belongs to
    /// the relationship that leads to the list.
    private func names(of slots: some Sequence<Int>, _ runtime: EntityRuntime) -> Set<String> {
        Set(
            slots.lazy.filter { $0 < runtime.numberOfSlots && $0 != runtime.versionSlot }
                .map { runtime.propertyName(ofSlot: $0) })
    }

    /// Returns whether an object has relationships in link tables.
    private func hasLinks(_ objectID: ObjectID) -> Bool {
        guard let entity = context.container.model.entity(named: objectID.entityName) else { return false }
        return entity.relationships.contains {
            $0.isToMany && context.container.model.linkEnd(of: $0, in: entity) != nil
        }
    }

    /// Returns the to-many relationships in link tables that changed; nil if they are unknown.
    private func changedLinks(
        of objectID: ObjectID, _ object: ManagedObject?, _ shown: ObjectValueSnapshot?,
        _ previous: PreviousRow?
    ) -> Set<String>? {
        var names: Set<String> = []
        if let previous, hasLinks(objectID) {
            guard let saved = previous.relationshipNames ?? (writtenProperties == nil ? nil : []) else {
                return nil
            }
            names = saved
        }
        guard let object else { return names }
        if let shown {
            guard shown.isRelinked(object) else { return names }
            names.formUnion(changedLinkNames[object] ?? [])
            return names.isEmpty ? nil : names
        }
        return object.hasChangedLinks ? names.union(changedLinkNames[object] ?? []) : names
    }
}

extension EntityRuntime {
    /// Returns the name of the property with a slot; for a position in an ordered relationship, that of the
    /// to-one relationship to the object with the list.
    fileprivate func propertyName(ofSlot slot: Int) -> String {
        let name = slotNames[slot]
        return description.orderedToOneNames.first {
            EntityDescription.orderColumnName(ofToOneNamed: $0) == name
        } ?? name
    }
}
