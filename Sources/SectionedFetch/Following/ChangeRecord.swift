import ObjectStorage

/// The changes that a context announced since the results were found, as far as the change log does not
/// contain them.
///
/// The record keeps only what concerns the request, so that the memory in use until the next report does not
/// grow with other changes.
struct ChangeRecord {
    /// Object IDs of deleted rows, which name their entities, and of refreshed objects. In a store without a
    /// change log, all changes that concern the request.
    private(set) var changes = StoreChanges()
    /// The context's saves that changed more rows than the log holds.
    private(set) var bulkSaves: [StoreChanges] = []
    /// The transactions that only updated rows.
    private(set) var updates: [TableUpdate] = []
    /// The values of changed rows that the results read, before the changes.
    private(set) var previousRows = PreviousRows()
    /// The states of the tables before and after all transactions.
    private var transitions = TableTransitions()
    /// Whether rows changed that were not announced individually.
    private var hasUnlistedRows = false
    /// Whether the store keeps a change log.
    let isTracked: Bool

    /// The maximum number of ``updates``. The rows of further transactions are looked up.
    private static let maximumUpdates = 256
    /// The number of rows up to which ``bulkSaves`` are kept even if the reload threshold is lower. Going
    /// through more rows, most of which may not be in the results, takes longer than computing the results.
    private static let maximumBulk = 10_000

    init(isTracked: Bool) { self.isTracked = isTracked }

    /// Removes all changes.
    mutating func removeAll() { self = ChangeRecord(isTracked: isTracked) }

    /// Adds an earlier record in front of this one.
    mutating func prepend(_ earlier: ChangeRecord) {
        var all = earlier.changes
        all.append(changes)
        changes = all
        var rows = earlier.previousRows
        rows.append(previousRows)
        previousRows = rows
        transitions = earlier.transitions.followed(by: transitions)
        hasUnlistedRows = hasUnlistedRows || earlier.hasUnlistedRows
        bulkSaves = earlier.bulkSaves + bulkSaves
        updates = earlier.updates + updates
    }

    /// Adds the part of a save or merge that the log does not contain.
    mutating func add(_ added: StoreChanges, to request: ResultsRequest) {
        transitions.append(added.tables)
        if !added.changedEntityNames.isEmpty, request.reads(added) { hasUnlistedRows = true }
        previousRows.append(added) { objectID in
            request.model.entity(named: objectID.entityName).map {
                request.compiled.tableNames.contains($0.tableName)
            } ?? false
        }
        guard isTracked else {
            if request.reads(added) { changes.append(added) }
            return
        }
        let model = request.model
        let listedTables = added.deletedObjectIDs.isEmpty ? [] : request.listedTables
        for objectID in added.deletedObjectIDs {
            guard let name = model.entity(named: objectID.entityName)?.tableName,
                listedTables.contains(name)
            else { continue }
            changes.deletedObjectIDs.insert(objectID)
        }
        for objectID in added.refreshedObjectIDs.union(added.relinkedObjectIDs) {
            guard let name = model.entity(named: objectID.entityName)?.tableName,
                request.compiled.tableNames.contains(name)
            else { continue }
            changes.refreshedObjectIDs.insert(objectID)
        }
    }

    /// Adds a save, if it changed more rows than the log holds.
    ///
    /// - Parameter threshold: The number of changed rows of the results at which a change is a reload.
    mutating func addBulkSave(_ save: StoreChanges, threshold: Int) {
        guard save.replacesLog else { return }
        let count = bulkSaves.reduce(save.listedCount) { $0 + $1.listedCount }
        if count < max(threshold, Self.maximumBulk) { bulkSaves.append(save) }
    }

    /// Adds a transaction, if it only updated rows and so may leave all rows at their positions.
    mutating func addUpdate(_ update: StoreChanges) {
        guard let properties = update.updatedProperties else { return }
        for transition in update.tables {
            if let last = updates.last?.transition, last.tableName == transition.tableName,
                let after = last.after,
                after == transition.before
            {
                updates[updates.count - 1].transition.after = transition.after
                updates[updates.count - 1].properties.formUnion(properties)
            } else if updates.count < Self.maximumUpdates {
                updates.append(TableUpdate(properties: properties, transition: transition))
            }
        }
    }
}

extension ChangeRecord {
    /// Whether the context announced all changes that happened between two states, in their order.
    func announcesAllChanges(from old: [StoreState.Table]?, to new: [StoreState.Table]?) -> Bool {
        guard let old, let new else { return false }
        return transitions.lead(from: old, to: new)
    }

    /// Whether the recorded rows are all that changed between two states.
    func listsAllRows(from old: [StoreState.Table]?, to new: [StoreState.Table]?) -> Bool {
        !hasUnlistedRows && announcesAllChanges(from: old, to: new)
    }

    /// Returns the properties that were written between two states, if all transactions in between only
    /// updated rows; nil otherwise.
    func writtenProperties(from old: [StoreState.Table]?, to new: [StoreState.Table]?) -> Set<String>? {
        guard let old, !updates.isEmpty, old.passing(updates.map(\.transition)) == new else { return nil }
        return updates.reduce(into: []) { $0.formUnion($1.properties) }
    }
}

/// One transaction, or several consecutive ones, that only updated rows of one table.
struct TableUpdate {
    /// The properties that were written.
    var properties: Set<String>
    /// The stamps of the table before and after.
    var transition: TableTransition
}
