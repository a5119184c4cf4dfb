/// What only objects have that were changed, or of which something could not be read. Most are neither.
final class ObjectDetails {
    /// Why values could not be read.
    var readError: ObjectStorageError?
    /// The values of transient attributes, whose slots come after the columns'; nil while none was set.
    var transientValues: [StoredValue]?
    /// The values as they were read, while the object has unsaved changes.
    var committedValues: [StoredValue]?
    /// What a merge found in the store and left to the save to judge; nil for nothing.
    var untakenRow: UntakenRow?
    /// The objects assigned to to-one relationships since the last save, by slot. Their keys may not be known
    /// yet.
    var assignedReferences: [Int: ManagedObject] = [:]
    /// Large values that are kept out of the row, as far as they are known here.
    var externalValues: [ExternalValue] = []
    /// The number of changes to relationships that are kept in link tables.
    var linkChangeCount = 0
    /// Rows of related objects that were read with this one.
    var prefetched: PrefetchedRows?

    /// A row that is another than the one that was read of an object with unsaved changes.
    enum UntakenRow { case changed, gone }
}

extension ManagedObject {
    /// The details, made if there are none.
    private final var ownDetails: ObjectDetails {
        if let details { return details }
        let new = ObjectDetails()
        details = new
        return new
    }

    /// Why the object's values could not be read, after a property showed a placeholder for that reason.
    public internal(set) final var readError: ObjectStorageError? {
        get { details?.readError }
        set { if newValue != nil || details != nil { ownDetails.readError = newValue } }
    }

    /// The number of changes to relationships that are kept in link tables: another one whenever they lead to
    /// other objects than before.
    final var linkChangeCount: Int { details?.linkChangeCount ?? 0 }

    /// Counts a change to relationships that are kept in link tables.
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
    /// The values by slot; of no meaning while the object is a fault.
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

    /// A value of an object that is no fault. It alone is made of the row's bytes.
    final func value(inSlot slot: Int) -> StoredValue {
        guard let page else { return madeValues[slot] }
        return page.value(slot, ofRowAt: Int(row))
    }

    /// Makes values of the row's bytes, to be changed or compared.
    final func makeValues() {
        guard let page else { return }
        madeValues = page.values(ofRowAt: Int(row))
        self.page = nil
    }

    /// Takes over a row that was just read, whatever the object's state.
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
        isFault = false
        if runtime.isOfExistingTable { values = runtime.description.normalized(values) }
        if details != nil { readError = nil }
        noteReferences()
    }

    /// The same for values, of an object without unsaved changes.
    final func take(_ row: [StoredValue]) {
        guard state == .clean else { return }
        noteDifference { $0.values != row }
        adopt(row)
    }

    /// Notes for those who show the object that it shows something else from now on, although nothing was
    /// merged.
    private final func noteDifference(_ isOther: (ManagedObject) -> Bool) {
        guard !isFault, let context = runtime.context, !context.observers.isEmpty, isOther(self) else {
            return
        }
        context.objectIDsReadAgain.insert(objectID)
    }

    /// Has the table of references, if there is one, look again where the object leads.
    final func noteReferences() {
        guard let references = runtime.references else { return }
        if !references.note(self) { runtime.references = nil }
    }
}
