import ObjectStorage
import Mutants

/// Finds out, in one snapshot of the store, which rows changed since some results were found.
///
/// What was committed is read from the store's log. Unsaved changes are part of the snapshot, written in a
/// transaction that is rolled back, so the log has what they touch as well, rows among them that were never
/// loaded. What they touched the last time may show its old content again, or what it already showed when it
/// is saved; so the contents are compared. They are, too, of what another program wrote and nobody has
/// stamped, which the log goes on telling.
struct ChangedRowsReader {
    let request: ResultsRequest
    let snapshot: StoreSnapshot
    let context: ManagedObjectContext
    /// What the old results are as of.
    let version: ResultsVersion
    /// The unsaved objects of the old results with their keys.
    let formerProvisionalKeys: [ManagedObject: Int64]
    /// The unsaved changes, and what they show now.
    let shownNow: [ManagedObject: ObjectValueSnapshot]
    /// The saves of the context since then that were too much for the log.
    var bulkSaves: [StoreChanges] = []
    /// Whether a change of the schema that looks like a `VACUUM` is taken for one. After such a change the
    /// places of all rows are compared; a row that kept its place and is not in the log counts as unchanged.
    var trustsVacuum = false

    /// What the new results are as of.
    var newVersion = ResultsVersion()
    /// What the log has since the last stamps, if anything may have changed since.
    var sinceStamp: RowChangesResult?
    /// The rows that show something else, by table.
    private var changed: [String: Set<Int64>] = [:]
    private var rows = ChangedRows()
    private var candidates: Set<Int64> = []

    init(
        _ request: ResultsRequest, in snapshot: StoreSnapshot, of context: ManagedObjectContext,
        since version: ResultsVersion, formerProvisionalKeys: [ManagedObject: Int64],
        includesPendingChanges: Bool
    ) {
        self.request = request
        self.snapshot = snapshot
        self.context = context
        self.version = version
        self.formerProvisionalKeys = formerProvisionalKeys
        shownNow =
            includesPendingChanges
            ? context.contentsOfChangedObjects(ofTablesNamed: request.tablesToCompare(in: snapshot)) : [:]
        newVersion.shown = shownNow
    }

    /// Reads what changed.
    ///
    /// - Parameters:
    ///   - listed: What the context was told of, for a store that keeps no log.
    ///   - stamped: The states of the tables, if they are stamped and unsaved changes are not part of the
    ///     snapshot.
    /// - Complexity: O(*k* log *n*) for *k* changed rows in tables of *n* rows, and SQLite's query for the
    ///   rows that read changed rows of other tables.
    mutating func read(
        listed: StoreChanges, stamped: [StoreState.Table]? = nil
    ) throws -> ChangedRowsResult {
        try readVersion(stamped: stamped)
        var log: [String: [Int64]] = [:]
        if !snapshot.isTracked {
            guard listed.changedEntityNames.isEmpty || !request.reads(listed) else {
                return .unknown("the store keeps no log, and another program may have changed any row")
            }
            guard !deletionsMayChangeOthers else {
                return .unknown(
                    "the store keeps no log, and any row may have led to an object that is to be deleted")
            }
            let written = listed.updatedObjectIDs.subtracting(listed.relinkedObjectIDs)
            log = keys(of: [listed.insertedObjectIDs, written, listed.deletedObjectIDs])
            rows.isComplete = false
        } else {
            guard let tables = version.tables else {
                return .unknown("the state of the old results is not known")
            }
            switch try logged(since: Mutant.missedEpoch.isPlanted ? newVersion.tables ?? tables : tables) {
            case .unknown(let reason): return .unknown(reason)
            case .known(let changes): for change in changes { log[change.tableName] = change.keys }
            case .knownAcrossVacuum(let changes):
                for change in changes { log[change.tableName] = change.keys }
                rows.isComplete = false
            }
        }
        // What others committed may have been told of before the context merged it: to whoever looks at an
        // object it is new.
        let refreshed = keys(of: [listed.refreshedObjectIDs.union(listed.relinkedObjectIDs)])
        for name in request.compiled.tableNames {
            try readTable(name, logged: log[name] ?? [], refreshed: refreshed[name] ?? [])
        }
        readUnsavedObjects()
        readUnsavedRelatedObjects()
        try readRelatedRows()
        rows.keys = candidates.sorted()
        return .known(rows)
    }

    /// The keys of objects, by the names of their tables.
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

    /// Whether an unsaved deletion came or went that makes rows lead nowhere, of which only a log could tell.
    private var deletionsMayChangeOthers: Bool {
        let destinations = request.destinationTables
        return Set(version.shown.keys).union(shownNow.keys).contains { object in
            destinations.contains(object.entity.tableName)
                && version.shown[object]?.isDeleted ?? false != shownNow[object]?.isDeleted ?? false
        }
    }

    var tableName: String? { request.tableName }

    private mutating func readTable(_ name: String, logged: [Int64], refreshed: [Int64]) throws {
        let touched = Mutant.forgottenRollback.isPlanted ? [:] : version.touchedContents[name] ?? [:]
        var known: [Int64: ManagedObject] = [:]
        for object in version.shown.keys {
            if let key = object.rowKey, object.entity.tableName == name { known[key] = object }
        }
        let logged = Set(withoutUnsavedRows(logged, name))
        let keys = logged.union(refreshed).union(touched.keys)
        guard !keys.isEmpty else { return }
        let contents = try contents(ofTableNamed: name, keys: touched.keys)
        for key in keys {
            let isChanged =
                if let object = known[key], let content = version.shown[object] {
                    !content.isShown(by: object) || content.isOfFault && logged.contains(key)
                } else if let former = touched[key] {
                    former != contents[key] || Mutant.repeatedReport.isPlanted
                } else {
                    true
                }
            if isChanged { changed[name, default: []].insert(key) }
            if name == tableName { candidates.insert(key) }
        }
    }

    /// The objects with unsaved changes, then and now: also those of which no row is touched.
    private mutating func readUnsavedObjects() {
        for object in Set(version.shown.keys).union(shownNow.keys) where object.entity.tableName == tableName
        {
            guard let key = object.rowKey, formerProvisionalKeys[object] == nil else { continue }
            candidates.insert(key)
            if !isShownAsBefore(object) {
                changed[object.entity.tableName, default: []].insert(key)
            }
        }
        var newKeys: [ManagedObject: Int64] = [:]
        var takenKeys: Set<Int64> = []
        for (key, object) in snapshot.provisionalObjects {
            newKeys[object] = key
            candidates.insert(key)
            if formerProvisionalKeys[object] == nil {
                rows.newKeys.insert(key)
                takenKeys.insert(key)
            }
        }
        for (object, former) in formerProvisionalKeys {
            guard let key = object.rowKey ?? newKeys[object] else {
                rows.goneKeys.append(former)
                continue
            }
            candidates.insert(key)
            if key != former {
                rows.formerKeys[key] = former
                takenKeys.insert(key)
            }
            if !isShownAsBefore(object) {
                if let tableName { changed[tableName, default: []].insert(key) }
            } else if let tableName {
                // The log has the row that the save inserted.
                changed[tableName]?.remove(key)
            }
        }
        // In our tables no key is given twice. An owner's may give that of the last row again once somebody
        // deleted it.
        if request.model.entity(named: request.request.entityName)?.existingTable != nil {
            rows.goneKeys += takenKeys.subtracting(formerProvisionalKeys.values)
        }
    }

    /// The unsaved objects that others read: new ones, and where there is no log to tell, changed ones.
    private mutating func readUnsavedRelatedObjects() {
        for (name, objects) in snapshot.provisionalRelatedObjects {
            for (key, object) in objects where !isShownAsBefore(object) {
                changed[name, default: []].insert(key)
            }
        }
        guard !snapshot.isTracked else { return }
        for object in Set(version.shown.keys).union(shownNow.keys) where object.entity.tableName != tableName
        {
            guard let key = object.rowKey, !isShownAsBefore(object) else { continue }
            changed[object.entity.tableName, default: []].insert(key)
        }
    }

    /// Whether an object with unsaved changes, then or now, shows what it showed.
    private func isShownAsBefore(_ object: ManagedObject) -> Bool {
        version.shown[object]?.isShown(by: object) ?? false
    }

    /// The rows whose place or section is read from others that changed.
    private mutating func readRelatedRows() throws {
        if let tableName { rows.changedKeys.formUnion(changed[tableName] ?? []) }
        for path in request.relatedPaths {
            guard let name = request.model.entity(named: path.entityName)?.tableName,
                let keys = changed[name], !keys.isEmpty, !Mutant.missedRelatedRow.isPlanted
            else { continue }
            let leading = try snapshot.keys(leadingTo: Array(keys), along: path.path)
            candidates.formUnion(leading)
            rows.changedKeys.formUnion(leading)
        }
        if !request.canAdvance { rows.isComplete = false }
    }
}
