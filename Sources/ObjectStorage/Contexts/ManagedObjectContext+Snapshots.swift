import GRDB
import InternalUtilities

extension ManagedObjectContext {
    /// Returns the version stamps of the tables that a compiled request reads, without opening a snapshot;
    /// nil if the result includes unsaved changes of the context or its ancestors, or the request names an
    /// unsaved object, because such a result has no stamp.
    package func savedState(
        of compiled: CompiledRequest, includingPendingChanges: Bool
    ) throws(ObjectStorageError) -> StoreStateResult? {
        guard !compiled.namesUnsavedObjects else { return nil }
        if try showsUnsavedChanges(to: compiled.tableNames, includingOwn: includingPendingChanges) {
            return nil
        }
        return try state(of: compiled.tableNames)
    }

    /// Returns whether a snapshot of some tables includes unsaved changes of the context itself or of its
    /// ancestors.
    ///
    /// - Throws: ``ObjectStorageError`` if an ancestor cannot carry out its deletions.
    package func showsUnsavedChanges(
        to tableNames: [String], includingOwn: Bool
    ) throws(ObjectStorageError) -> Bool {
        if includingOwn, hasPendingChanges(to: tableNames) { return true }
        return try changedAncestors() != nil
    }

    /// Returns whether the context's unsaved changes may change one of some tables.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes if none of them is in these tables.
    package func hasPendingChanges(to tableNames: [String]) -> Bool {
        // Objects of one entity are mostly adjacent.
        var runtime: EntityRuntime?
        var isRead = false
        var tablesToDeleteFrom: Set<String> = []
        for object in pending {
            if object.runtime !== runtime {
                runtime = object.runtime
                isRead = tableNames.contains(object.entity.tableName)
            }
            if isRead, object.hasChanges { return true }
            if object.state == .deleted { tablesToDeleteFrom.insert(object.entity.tableName) }
        }
        return links.contains { tableNames.contains($0.table.name) }
            // Delete rules and relationships may change rows that were never loaded.
            || tablesToDeleteFrom.contains {
                !container.model.namesOfTables(changedByDeletingFrom: $0).isDisjoint(with: tableNames)
            }
    }

    /// Runs `body` with a snapshot of the tables that a request reads.
    ///
    /// If the context has unsaved changes to these tables, they are written in a transaction that is rolled
    /// back afterwards. SQLite itself then decides which rows match and how they sort; there is no second
    /// implementation that could differ. The transaction holds the store's write lock while `body` runs,
    /// except in a pinned context, which uses a copy of its state.
    ///
    /// - Parameter compiled: The compiled request, if available; used if there are no unsaved changes and it
    ///   names no unsaved object.
    package func withSnapshot<Result>(
        of request: RequestDescription, columns: RequestColumns, includingPendingChanges: Bool,
        compiled: CompiledRequest? = nil, _ body: (StoreSnapshot) throws -> Result
    ) throws(ObjectStorageError) -> Result {
        try mergeAutomatically()
        let compiled =
            if let compiled {
                try compiled.current(request, model: container.model)
            } else {
                try RequestCompiler.compile(request, model: container.model, columns: columns)
            }
        let overlays = includingPendingChanges && hasPendingChanges(to: compiled.tableNames)
        let operation = "Fetching “\(request.entityName)”"
        let ground = try changedAncestors() ?? []
        let held = try heldState()
        let isOwnConnection = held.map { !$0.isOfApplication } ?? (container.url != nil)
        guard overlays || !ground.isEmpty else {
            return try ObjectStorageError.translating(operation) {
                // A held state is not that of the present files.
                let position = held == nil ? try container.logPositionOfFiles() : nil
                return try readSavedComputing { database in
                    var snapshot = StoreSnapshot(
                        of: request, compiled, in: database, container, isOwnConnection: isOwnConnection,
                        logPosition: position)
                    if held != nil { snapshot.stateOfHeldFiles = stateOfHeldFiles }
                    return try body(snapshot)
                }
            }
        }
        if overlays {
            try propagateDeletions(isRefusing: false)
            try positionNewMembers()
            hasShownChanges = true
        }
        let changes = overlays ? PendingChanges(of: self) : nil
        return try ObjectStorageError.translating("\(operation) with unsaved changes") {
            try rehearse(on: held) { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    var provisional: [ObjectID.Key: Int64] = [:]
                    var objects: [Int64: ManagedObject] = [:]
                    var related: [String: [Int64: ManagedObject]] = [:]
                    let list = try container.model.requireList(named: request.entityName)
                    let ownTables = list.tableNames
                    let relatedTables = compiled.tableNames.filter { !ownTables.contains($0) }
                    var previousSchemaVersion: StoredValue?
                    for changes in ground {
                        let outcome = try changes.write(to: database, for: .ground)
                        previousSchemaVersion = previousSchemaVersion ?? outcome.previousSchemaVersion
                        for (object, key) in outcome.keys { provisional[object.identityKey] = key }
                    }
                    let outcome = try changes?.write(to: database, for: .rehearsal)
                    previousSchemaVersion = previousSchemaVersion ?? outcome?.previousSchemaVersion
                    let hasPreviousSchema = previousSchemaVersion != nil
                    for (object, key) in outcome?.keys ?? NewObjectKeys() {
                        provisional[object.identityKey] = key
                        if let offset = list.keyOffset(ofObjectOf: object.entity) {
                            objects[key &+ offset] = object
                        } else if relatedTables.contains(object.entity.tableName) {
                            related[object.entity.tableName, default: [:]][key] = object
                        }
                    }
                    let compiled = try RequestCompiler.compile(
                        request, model: container.model, columns: columns, provisionalKeys: provisional)
                    result = try body(
                        StoreSnapshot(
                            database: database, compiled: compiled, provisionalObjects: objects,
                            provisionalRelatedObjects: related, includesPendingChanges: true,
                            hasPendingDeletions: changes?.deleted.isEmpty == false,
                            isTracked: container.isTracked, request: request, model: container.model,
                            provisionalKeys: provisional,
                            knownSchema: hasPreviousSchema ? LockedValue(nil) : container.knownSchema,
                            knownTriggers: hasPreviousSchema ? LockedValue(nil) : container.knownTriggers,
                            previousSchemaVersion: previousSchemaVersion,
                            isOwnConnection: held != nil || container.url != nil))
                    return .rollback
                }
                guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return result
            }
        }
    }
}
