import GRDB

extension PersistentContainer {
    /// Opens somebody else's database in which nothing of ours may be made.
    static func openUntracked(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
        let model = try untrackedModel(model)
        do {
            return try openUntracked(path, of: model, options: options)
        } catch let error as DatabaseError {
            guard let lockless = LocklessAccess(path: path, after: error) else { throw error }
            return try openUntracked(path, of: model, options: options.lockless(lockless))
        }
    }

    private static func openUntracked(
        _ path: String, of model: ManagedObjectModel, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
        let reader = try ReadConnection(path: path, options: options)
        try reader.read { try checkExistingTables(of: model, options: options, in: $0) }
        return (
            StoreConnections(reader: reader) { try openWriter(path, model: model, options: options) }, model
        )
    }

    /// The model of an untracked store.
    ///
    /// - Throws: ``ObjectStorageError``: there is none, or one of which an entity needs a table of ours.
    static func untrackedModel(_ model: ManagedObjectModel?) throws(ObjectStorageError) -> ManagedObjectModel
    {
        guard let model else {
            throw ObjectStorageError(
                .storeMissing, "An untracked store keeps no model. Give the one that describes its tables.")
        }
        if let entity = model.entities.first(where: { $0.mapping == nil }) {
            throw ObjectStorageError(
                .existingTableMismatch,
                "Entity “\(entity.name)” has no existing table, and in an untracked store none is made. Map it on a table, leave it out, or open the store with existingTables: .tracked.",
                entityName: entity.name)
        }
        if let table = model.linkTables.first(where: { $0.existing == nil }) {
            throw ObjectStorageError(
                .existingTableMismatch,
                "The relationship “\(table.name)” is kept in a table of pairs, and in an untracked store none is made. Describe the owner's with ExistingTable.links, leave it out, or open the store with existingTables: .tracked.",
                entityName: table.sourceEntityName)
        }
        return model
    }

    /// Compares mapped tables with the database, and makes sure that opening it changes nothing of its
    /// owner's.
    static func checkExistingTables(
        of model: ManagedObjectModel, options: StoreOptions, in database: any StatementSource
    ) throws {
        guard model.hasExistingTables else { return }
        try ExistingTableCheck.check(model, in: database)
        guard options.connections == .pool,
            try !database.hasWriteAheadLog()
        else { return }
        throw ObjectStorageError(
            .foreignStore,
            "A pool of connections needs a write-ahead log, and the owner of this database does not use one. Open it with connections: .single."
        )
    }

    /// Begins to track a table that somebody else made, if its owner allows it and it is not tracked yet. One
    /// that is may have been mapped by another key.
    static func trackExistingTable(
        _ table: TrackedTable, of entityName: String, options: StoreOptions, in database: Database
    ) throws {
        let tableName = table.name
        guard try ChangeTracking.trackingID(of: tableName, in: database) == nil else {
            return try ChangeTracking.mend(table, in: database)
        }
        guard options.existingTables == .tracked else {
            throw trackingUndecided(tableName, entityName)
        }
        for name in StoreSchema.triggerNames(tableName) {
            let taken = try database.rows(
                "SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?1 COLLATE NOCASE",
                [.text(name)])
            guard taken.isEmpty else {
                throw ObjectStorageError(
                    .existingTableMismatch,
                    "Entity “\(entityName)”: the database has a trigger “\(name)” already, which is the name of ours on table “\(tableName)”. Rename it, or open the store with existingTables: .untracked.",
                    entityName: entityName)
            }
        }
        try ChangeTracking.begin(table, in: database)
    }

    /// The error for a database about which nobody said whether its owner allows tracking.
    static func trackingUndecided(_ tableName: String, _ entityName: String) -> ObjectStorageError {
        ObjectStorageError(
            .foreignStore,
            "Entity “\(entityName)” is mapped on table “\(tableName)” of another application's database. Say in StoreOptions.existingTables whether its owner allows triggers and four tables of ours in it (.tracked), or nothing but rows (.untracked).",
            entityName: entityName)
    }

    /// Takes our triggers away from tables that no entity is mapped on any more.
    static func endTracking(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, in database: Database
    ) throws {
        guard kept.hasExistingTables else { return }
        let former =
            kept.entitiesOfExistingTables.map(\.tableName)
            + kept.linkTables.filter { $0.existing != nil }.map(\.name)
        let current = model.tableNames + model.linkTables.map(\.name)
        for name in former where !current.contains(name) { try ChangeTracking.end(name, in: database) }
    }
}
