import GRDB

extension PersistentContainer {
    /// Opens an application's database to which nothing may be added.
    static func openUntracked(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
        let model = try untrackedModel(model)
        if options.preservesFiles {
            return try PrivateCopy.preservingFiles(ofStoreAt: path, options: options) { path, options in
                try openUntracked(path, of: model, options: options)
            }
        }
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

    /// Returns the model of an untracked store.
    ///
    /// - Throws: ``ObjectStorageError`` if no model is given, or if an entity would need a table of the
    ///   library.
    static func untrackedModel(_ model: ManagedObjectModel?) throws(ObjectStorageError) -> ManagedObjectModel
    {
        guard let model else {
            throw ObjectStorageError(
                .storeMissing,
                "An untracked store does not contain a model. Give the model that describes its tables.")
        }
        if let entity = model.entities.first(where: { $0.mapping == nil }) {
            throw ObjectStorageError(
                .existingTableMismatch,
                "Entity “\(entity.name)” has no external table, and an untracked store gets no new tables. Map it to a table, remove it, or open the store with existingTables: .tracked.",
                entityName: entity.name)
        }
        if let table = model.linkTables.first(where: { $0.existing == nil }) {
            throw ObjectStorageError(
                .existingTableMismatch,
                "The relationship “\(table.name)” needs a link table, and an untracked store gets no new tables. Describe an existing one with ExistingTable.links, remove the relationship, or open the store with existingTables: .tracked.",
                entityName: table.sourceEntityName)
        }
        return model
    }

    /// Compares mapped tables with the database, and checks that opening the database does not change its
    /// journal mode.
    static func checkExistingTables(
        of model: ManagedObjectModel, options: StoreOptions, in database: any StatementSource
    ) throws {
        guard model.hasExistingTables else { return }
        if !options.isReadOnly, let (entity, part) = model.existingPartForReading {
            throw ObjectStorageError(
                .existingTableMismatch,
                "Entity “\(entity.name)” is mapped with \(part), and such a table can only be read. Open the store with isReadOnly: true.",
                entityName: entity.name)
        }
        let isReading = options.isReadOnly && options.existingTables == .untracked
        try ExistingTableCheck.check(
            model, isReading: isReading, views: options.readableViews, in: database)
        guard options.connections == .pool,
            try !database.hasWriteAheadLog()
        else { return }
        throw ObjectStorageError(
            .foreignStore,
            "A pool of connections needs a write-ahead log, and this database does not have one. Open it with connections: .single."
        )
    }

    /// Starts to track an external table, if the options allow it and it is not tracked yet. The triggers of
    /// a tracked table are repaired, because it may have been mapped with another key.
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
                    "Entity “\(entityName)”: the database already has a trigger “\(name)”, which is the name of the library's trigger on table “\(tableName)”. Rename it, or open the store with existingTables: .untracked.",
                    entityName: entityName)
            }
        }
        try ChangeTracking.begin(table, in: database)
    }

    /// Returns the error for an application's database if the options do not state whether tracking is
    /// allowed.
    static func trackingUndecided(_ tableName: String, _ entityName: String) -> ObjectStorageError {
        ObjectStorageError(
            .foreignStore,
            "Entity “\(entityName)” is mapped to table “\(tableName)” of another application's database. Set StoreOptions.existingTables: .tracked adds triggers and control tables to the database, .untracked changes nothing but rows.",
            entityName: entityName)
    }

    /// Drops the library's triggers on tables to which no entity is mapped any more.
    static func endTracking(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, in database: Database
    ) throws {
        guard kept.hasExistingTables else { return }
        let previous =
            kept.entitiesOfExistingTables.map(\.tableName)
            + kept.linkTables.filter { $0.existing != nil }.map(\.name)
        let current = model.tableNames + model.linkTables.map(\.name)
        for name in previous where !current.contains(name) { try ChangeTracking.end(name, in: database) }
    }
}
