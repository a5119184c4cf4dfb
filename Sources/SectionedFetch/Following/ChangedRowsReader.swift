import ObjectStorage
import Mutants

/// Determines, in one snapshot of the store, which rows changed since some results were found.
///
/// Committed changes are read from the store's log. Unsaved changes are part of the snapshot: they are
/// written in a transaction that is rolled back, so the log contains the rows that they touch as well,
/// including rows that were never loaded. A row that unsaved changes touched in the old results may have its
/// original content again, or, after a save, the content that it already showed; so the contents are
/// compared. They are also compared for rows that another program wrote and that are not stamped, because the
/// log keeps listing these.
struct ChangedRowsReader {
    let request: ResultsRequest
    let snapshot: StoreSnapshot
    let context: ManagedObjectContext
    /// The version of the old results.
    let version: ResultsVersion
    /// The unsaved objects of the old results, with their keys.
    let previousProvisionalKeys: [ManagedObject: Int64]
    /// The objects with unsaved changes, and the values that they show now.
    let shownNow: [ManagedObject: ObjectValueSnapshot]
    /// The context's saves since the old results that changed more rows than the log holds.
    var bulkSaves: [StoreChanges] = []
    /// Whether a change of the schema that looks like a `VACUUM` is treated as one. After such a change the
    /// positions of all rows are compared; a row that kept its position and is not in the log counts as
    /// unchanged.
    var trustsVacuum = false

    /// Whether the changes passed to ``read(listed:stamped:)`` are all changes of an untracked store.
    var listsAllChanges = false

    /// The changes that the context announced since the old results; nil if the objects of the context are
    /// not compared with their rows.
    var record: ChangeRecord?

    /// The version of the new results.
    var newVersion = ResultsVersion()
    /// The content of the log since the last stamps, if anything may have changed since.
    var sinceStamp: RowChangesResult?
    /// The keys of rows whose content changed, by table.
    private(set) var changed: [String: Set<Int64>] = [:]
    var rows = ChangedRows()
    var candidates: Set<Int64> = []

    init(
        _ request: ResultsRequest, in snapshot: StoreSnapshot, of context: ManagedObjectContext,
        since version: ResultsVersion, previousProvisionalKeys: [ManagedObject: Int64],
        includesPendingChanges: Bool
    ) {
        self.request = request
        self.snapshot = snapshot
        self.context = context
        self.version = version
        self.previousProvisionalKeys = previousProvisionalKeys
        shownNow =
            includesPendingChanges
            ? context.contentsOfChangedObjects(ofTablesNamed: request.tablesToCompare(in: snapshot)) : [:]
        newVersion.shown = shownNow
    }

    /// Reads the rows that changed.
    ///
    /// - Parameters:
    ///   - listed: The changes that the context's events listed, for a store without a log.
    ///   - stamped: The states of the tables, if they are stamped and the snapshot contains no unsaved
    ///     changes.
    /// - Complexity: O(*k* log *n*) for *k* changed rows in tables of *n* rows, plus SQLite's query for the
    ///   rows that read changed rows of other tables.
    mutating func read(
        listed: StoreChanges, stamped: [StoreState.Table]? = nil
    ) throws -> ChangedRowsResult {
        try readVersion(stamped: stamped)
        var log: [String: [Int64]] = [:]
        var changes: [TableRowChanges] = []
        if !snapshot.isTracked {
            let unlisted = StoreChanges(changedEntityNames: listed.changedEntityNames)
            guard unlisted.isEmpty || !request.reads(unlisted) else {
                return .unknown("the store keeps no log, and another program may have changed any row")
            }
            // The history of another program lists objects, and no pairs of them.
            guard !listsAllChanges || !request.readsLinks else {
                return .unknown("the history does not list the pairs of a link table")
            }
            guard !deletionsMayChangeOthers else {
                return .unknown(
                    "the store keeps no log, and any row may have led to an object marked for deletion")
            }
            let written = listed.updatedObjectIDs.subtracting(listed.relinkedObjectIDs)
            log = keys(of: [listed.insertedObjectIDs, written, listed.deletedObjectIDs])
            rows.isComplete = listsAllChanges
        } else {
            guard let tables = version.tables else {
                return .unknown("the state of the old results is not known")
            }
            switch try logged(since: Mutant.missedEpoch.isPlanted ? newVersion.tables ?? tables : tables) {
            case .unknown(let reason): return .unknown(reason)
            case .known(let logged): changes = logged
            case .knownAcrossVacuum(let logged):
                changes = logged
                rows.isComplete = false
            }
            for change in changes { log[change.tableName] = change.keys }
        }
        // A commit of another context or program may have been reported before the context merged it. Only
        // the merge changed the values that objects show.
        let refreshed = keys(of: [listed.refreshedObjectIDs.union(listed.relinkedObjectIDs)])
        for name in request.compiled.tableNames {
            try readTable(name, logged: log[name] ?? [], refreshed: refreshed[name] ?? [])
        }
        readUnsavedObjects()
        readUnsavedRelatedObjects()
        try readRelatedRows()
        try readOwners(changes)
        guard try readDisplayedOwners(changes) else {
            return .unknown("the log does not contain the previous owners of the displayed objects")
        }
        rows.keys = candidates.sorted()
        try examineObjects()
        return .known(rows)
    }

    /// Returns the keys of objects, by the names of their tables.
    func keys(of sets: [Set<ObjectID>]) -> [String: [Int64]] {
        var keys: [String: [Int64]] = [:]
        for objectIDs in sets {
            for objectID in objectIDs {
                guard let name = request.model.entity(named: objectID.entityName)?.tableName else { continue }
                keys[name, default: []].append(objectID.unsavedKey)
            }
        }
        return keys
    }

    /// Whether an unsaved deletion that clears references of other rows was added or undone. Only a log could
    /// list these rows.
    private var deletionsMayChangeOthers: Bool {
        let destinations = request.destinationTables
        return Set(version.shown.keys).union(shownNow.keys).contains { object in
            destinations.contains(object.entity.tableName)
                && version.shown[object]?.isDeleted ?? false != shownNow[object]?.isDeleted ?? false
        }
    }

    private mutating func readTable(_ name: String, logged: [Int64], refreshed: [Int64]) throws {
        let touched = Mutant.forgottenRollback.isPlanted ? [:] : version.touchedContents[name] ?? [:]
        var known: [Int64: ManagedObject] = [:]
        for (object, content) in version.shown {
            // If a new object has since been merged with a row, the results showed the object and not the
            // row.
            if let key = object.rowKey, object.entity.tableName == name,
                !(content.isOfNewObject && object.isMergedWithRow)
            {
                known[key] = object
            }
        }
        let logged = Set(withoutUnsavedRows(logged, name))
        let keys = logged.union(refreshed).union(touched.keys)
        guard !keys.isEmpty else { return }
        let contents = try contents(ofTableNamed: name, keys: touched.keys)
        var offsets = request.list?.keyOffsets(ofTableNamed: name) ?? []
        let isUnion = request.list?.union != nil
        if Mutant.missedMember.isPlanted { offsets.removeAll { $0 != 0 } }
        for key in keys {
            let isChanged =
                if let object = known[key], let content = version.shown[object] {
                    !content.isShown(by: object) || content.isOfFault && logged.contains(key)
                } else if let previous = touched[key] {
                    previous != contents[key] || Mutant.repeatedReport.isPlanted
                } else {
                    true
                }
            if isChanged { changed[name, default: []].insert(key) }
            if isUnion, !EntityUnion.canList(key) {
                // Computing the list anew fails with the reason.
                rows.isComplete = false
                continue
            }
            for offset in offsets { candidates.insert(key &+ offset) }
        }
    }

    /// The number of objects that are compared with their rows in some milliseconds.
    private static let mostObjects = 2_000

    /// Compares the objects of changed rows with their rows, if the context may not have merged all changes.
    private mutating func examineObjects() throws {
        guard let record, rows.causes.ownKeys.count <= Self.mostObjects,
            !record.announcesAllChanges(from: version.tables, to: newVersion.tables)
        else { return }
        rows.causes.unmergedKeys = try snapshot.keysOfUnmergedRows(rows.causes.ownKeys, in: context)
    }

    /// Reads the objects that have or had unsaved changes, including those without a touched row.
    private mutating func readUnsavedObjects() {
        let list = request.list
        let listedTables = list?.tableNames ?? []
        for object in Set(version.shown.keys).union(shownNow.keys)
        where listedTables.contains(object.entity.tableName) {
            guard let key = object.rowKey, previousProvisionalKeys[object] == nil else { continue }
            for offset in list?.keyOffsets(ofTableNamed: object.entity.tableName) ?? [] {
                candidates.insert(key &+ offset)
            }
            if !isShownAsBefore(object) {
                changed[object.entity.tableName, default: []].insert(key)
            }
        }
        var newKeys: [ManagedObject: Int64] = [:]
        var takenKeys: Set<Int64> = []
        for (key, object) in snapshot.provisionalObjects {
            newKeys[object] = key
            candidates.insert(key)
            if previousProvisionalKeys[object] == nil {
                rows.newKeys.insert(key)
                takenKeys.insert(key)
            }
        }
        for (object, previous) in previousProvisionalKeys {
            // A new object that was merged with a row has no separate row any more.
            let offset = list?.keyOffset(ofObjectOf: object.entity) ?? 0
            guard let key = object.rowKey.map({ $0 &+ offset }) ?? newKeys[object], !object.isMergedWithRow
            else {
                rows.goneKeys.append(previous)
                continue
            }
            candidates.insert(key)
            if key != previous {
                rows.previousKeys[key] = previous
                takenKeys.insert(key)
            }
            if !isShownAsBefore(object) {
                changed[object.entity.tableName, default: []].insert(key &- offset)
            } else {
                // The log contains the row that the save inserted.
                changed[object.entity.tableName]?.remove(key &- offset)
            }
        }
        // The library's tables never reuse a key. An external table may reuse the key of its last row after
        // that row was deleted.
        if list?.listedEntities.contains(where: { $0.existingTable != nil }) == true {
            rows.goneKeys += takenKeys.subtracting(previousProvisionalKeys.values)
        }
    }

    /// Reads the unsaved objects of other tables: new ones, and without a log also changed ones.
    private mutating func readUnsavedRelatedObjects() {
        for (name, objects) in snapshot.provisionalRelatedObjects {
            for (key, object) in objects where !isShownAsBefore(object) {
                changed[name, default: []].insert(key)
            }
        }
        guard !snapshot.isTracked else { return }
        let listedTables = request.listedTables
        for object in Set(version.shown.keys).union(shownNow.keys)
        where !listedTables.contains(object.entity.tableName) {
            guard let key = object.rowKey, !isShownAsBefore(object) else { continue }
            changed[object.entity.tableName, default: []].insert(key)
        }
    }

    /// Whether an object that has or had unsaved changes shows the same values as before.
    private func isShownAsBefore(_ object: ManagedObject) -> Bool {
        version.shown[object]?.isShown(by: object) ?? false
    }

    /// Reads the rows whose position or section depends on changed rows of other tables.
    private mutating func readRelatedRows() throws {
        for name in request.listedTables {
            guard let own = changed[name] else { continue }
            for offset in request.list?.keyOffsets(ofTableNamed: name) ?? [] {
                rows.causes.ownKeys.formUnion(offset == 0 ? own : Set(own.map { $0 &+ offset }))
            }
        }
        rows.changedKeys.formUnion(rows.causes.ownKeys)
        for path in request.relatedPaths {
            guard let name = request.model.entity(named: path.entityName)?.tableName,
                let keys = changed[name], !keys.isEmpty, !Mutant.missedRelatedRow.isPlanted
            else { continue }
            let leading = try snapshot.keys(leadingTo: keys, through: path.path)
            candidates.formUnion(leading)
            rows.changedKeys.formUnion(leading)
            rows.causes.related.append(
                ChangeCauses.Related(
                    path: path.path, entityName: path.entityName, changedKeys: keys, leadingKeys: leading))
        }
        if !request.canAdvance { rows.isComplete = false }
    }
}
