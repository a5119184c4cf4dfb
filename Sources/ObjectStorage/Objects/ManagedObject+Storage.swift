/// State that only some objects need: those with unsaved changes, or with values that could not be read.
final class ObjectDetails {
    /// Why values could not be read.
    var readError: ObjectStorageError?
    /// The values of transient attributes, whose slots follow those of the columns; nil until one is set.
    var transientValues: [StoredValue]?
    /// The values as they were read, while the object has unsaved changes.
    var committedValues: [StoredValue]?
    /// The difference that a merge found in the store and left for the save to resolve; nil if there is none.
    var untakenRow: UntakenRow?
    /// The objects assigned to to-one relationships since the last save, by slot. They may not have primary
    /// keys yet.
    var assignedReferences: [Int: ManagedObject] = [:]
    /// The large values stored outside the row that have been read.
    var externalValues: [ExternalValue] = []
    /// The number of changes to relationships that are stored in link tables.
    var linkChangeCount = 0
    /// The rows of related objects that were prefetched with this one.
    var prefetched: PrefetchedRows?
    /// Whether a save merged the object, when it was last new, with a row that had its unique value.
    var isMergedWithRow = false
    /// Whether the object has a permanent identity although it was never saved.
    var hasReservedKey = false
    /// The number of the temporary identity that the object had before its permanent one was reserved; nil if
    /// it had none.
    var numberBeforeReservation: UInt64?

    /// The state of a row that no longer equals the one that was read, for an object with unsaved changes.
    enum UntakenRow { case changed, gone }
}

extension ManagedObject {
    /// The details, created at first use.
    private final var ownDetails: ObjectDetails {
        if let details { return details }
        let new = ObjectDetails()
        details = new
        return new
    }

    /// The error that occurred when the object's values were read; set after a property returned a
    /// placeholder for that reason.
    public internal(set) final var readError: ObjectStorageError? {
        get { details?.readError }
        set { if newValue != nil || details != nil { ownDetails.readError = newValue } }
    }

    /// Whether the object was new, and a save merged it with a row that had its unique value. The flag
    /// remains set until the object is new again, so it is meaningful only for results that were found while
    /// the object was new.
    package final var isMergedWithRow: Bool { details?.isMergedWithRow ?? false }

    /// Whether the object has a permanent identity although it was never saved.
    final var hasReservedKey: Bool { details?.hasReservedKey ?? false }

    /// The number of the temporary identity that a new object had before its permanent one was reserved.
    final var numberBeforeReservation: UInt64? { details?.numberBeforeReservation }

    /// Notes that the object has the permanent identity of its later row.
    ///
    /// - Parameter number: The number of its temporary identity; nil if it is not known.
    final func noteReservation(formerly number: UInt64? = nil) {
        ownDetails.hasReservedKey = true
        ownDetails.numberBeforeReservation = number
    }

    /// Notes that the object was saved.
    final func endReservation() {
        details?.hasReservedKey = false
        details?.numberBeforeReservation = nil
    }

    /// Notes that a save merged the object with a row that had its unique value.
    final func noteMerge() { ownDetails.isMergedWithRow = true }

    /// Notes that the object is new again, because the deletion of its row was undone.
    final func endMerge() { details?.isMergedWithRow = false }

    /// The number of changes to relationships that are stored in link tables. It changes whenever such a
    /// relationship leads to other objects than before.
    final var linkChangeCount: Int { details?.linkChangeCount ?? 0 }

    /// Counts a change to a relationship that is stored in a link table.
    final func countLinkChange() { ownDetails.linkChangeCount &+= 1 }

    final var transientValues: [StoredValue]? {
        get { details?.transientValues }
        set { ownDetails.transientValues = newValue }
    }

    final var committedValues: [StoredValue]? {
        get { details?.committedValues }
        set { if newValue != nil || details != nil { ownDetails.committedValues = newValue } }
    }

    final var untakenRow: ObjectDetails.UntakenRow? {
        get { details?.untakenRow }
        set { if newValue != nil || details != nil { ownDetails.untakenRow = newValue } }
    }

    final var assignedReferences: [Int: ManagedObject] {
        get { details?.assignedReferences ?? [:] }
        set {
            if !newValue.isEmpty || details != nil { ownDetails.assignedReferences = newValue }
            noteReferences()
        }
    }

    final var externalValues: [ExternalValue] {
        get { details?.externalValues ?? [] }
        set { if !newValue.isEmpty || details != nil { ownDetails.externalValues = newValue } }
    }

    final var prefetched: PrefetchedRows? {
        get { details?.prefetched }
        set { if newValue != nil || details != nil { ownDetails.prefetched = newValue } }
    }
}

extension ManagedObject {
    /// The values by slot; meaningless while the object is a fault.
    final var values: [StoredValue] {
        get {
            makeValues()
            return madeValues
        }
        set {
            page = nil
            madeValues = newValue
            noteReferences()
        }
        _modify {
            makeValues()
            yield &madeValues
            noteReferences()
        }
    }

    /// Returns a value of an object that is not a fault, without creating the other values of its row.
    final func value(inSlot slot: Int) -> StoredValue {
        guard let page else { return madeValues[slot] }
        return page.value(slot, ofRowAt: Int(row))
    }

    /// Creates all values from the row's bytes, so that they can be changed or compared.
    final func makeValues() {
        guard let page else { return }
        madeValues = page.values(ofRowAt: Int(row))
        self.page = nil
    }

    /// Sets the values to a row that was just read, regardless of the object's state.
    final func take(_ read: (page: RowPage, row: Int)) {
        noteDifference { object in
            guard let page = object.page else {
                let values = read.page.values(ofRowAt: read.row)
                return object.madeValues != object.runtime.description.normalized(values)
            }
            return !page.row(at: Int(object.row), isEqualTo: read.row, of: read.page)
        }
        page = read.page
        row = UInt32(read.row)
        madeValues = []
        if isFault { readEpoch = runtime.readEpoch }
        isFault = false
        if runtime.isOfExistingTable { values = runtime.description.normalized(values) }
        if details != nil { readError = nil }
        noteReferences()
    }

    /// Sets the values to those of a row that was just read, if the object has no unsaved changes.
    final func take(_ row: [StoredValue]) {
        guard state == .clean else { return }
        noteDifference { $0.values != row }
        adopt(row)
    }

    /// Records, for the context's observers, that the object's values changed although nothing was merged.
    private final func noteDifference(_ isOther: (ManagedObject) -> Bool) {
        guard !isFault, let context = runtime.context, !context.observers.isEmpty, isOther(self) else {
            return
        }
        context.valuesReadAgain.note(objectID, values)
    }

    /// Records in the index of references, if it exists, that the object's references may have changed.
    final func noteReferences() {
        guard let references = runtime.references else { return }
        if !references.note(self) { runtime.references = nil }
    }
}
