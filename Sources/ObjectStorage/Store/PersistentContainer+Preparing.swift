import Foundation
import GRDB

extension PersistentContainer {
    /// Returns the model for an existing store that needs no change; nil if a change or an error remains to
    /// be handled.
    ///
    /// - Throws: Only `DatabaseError`.
    static func settledModel(
        in reader: ReadConnection, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> ManagedObjectModel? {
        do {
            guard let kept = try reader.read({ try checkedModel(options, in: $0) }) else { return nil }
            guard kept.format == StoreSchema.format || options.isReadOnly else { return nil }
            guard let model else { return try ManagedObjectModel(jsonText: kept.jsonText) }
            return kept.digest == model.storageDigest ? model : nil
        } catch let error as DatabaseError {
            throw error
        } catch {
            return nil
        }
    }

    /// Determines the kind of the database, creates missing parts, and returns the model to use.
    ///
    /// A store that already has the model costs one small read.
    static func prepare(
        _ writer: any DatabaseWriter, model: ManagedObjectModel?, options: StoreOptions,
        isShared: Bool = false
    ) throws -> ManagedObjectModel {
        switch try preparation(of: writer, model: model, options: options, isShared: isShared) {
        case .none(let model): model
        case .shaping(let model):
            try prepareSchema(of: writer, for: model, options: options, isShared: isShared) { _, shaped in
                shaped
            }
        }
    }

    /// The change that a store needs before it can be used with a model.
    enum Preparation {
        /// No change; the model to use.
        case none(ManagedObjectModel)
        /// The store must be created or migrated.
        case shaping(ManagedObjectModel)
    }

    /// Determines the kind of the database, and whether anything must be created in it.
    static func preparation(
        of writer: any DatabaseWriter, model: ManagedObjectModel?, options: StoreOptions,
        isShared: Bool = false
    ) throws -> Preparation {
        let kept = try writer.unsafeRead { try checkedModel(options, in: $0) }
        if let kept, kept.format < StoreSchema.format, !options.isReadOnly { try upgrade(writer) }
        if let model {
            try writer.unsafeRead { try checkExistingTables(of: model, options: options, in: $0) }
        }
        if let kept, let model, kept.digest == model.storageDigest { return .none(model) }
        if let kept {
            let keptModel = try ManagedObjectModel(jsonText: kept.jsonText)
            guard let model else {
                try writer.unsafeRead { try checkExistingTables(of: keptModel, options: options, in: $0) }
                return .none(keptModel)
            }
            // The store may have more entities than this model.
            if keptModel.restricted(to: model)?.versionDigest == model.versionDigest {
                let isComplete =
                    try options.isReadOnly
                    || writer.unsafeRead { database in
                        // A store of an earlier version of the library has the digest without the indexes.
                        try
                            (kept.digest != keptModel.versionDigest
                            || keptModel.storageDigest != model.storageDigest)
                            && model.derivesNothingElse(than: keptModel)
                            && missingIndexes(of: model, in: database).isEmpty
                    }
                if isComplete { return .none(model.sharingTables(with: keptModel)) }
            }
        }
        guard let model else {
            // Another program may be creating the store.
            if kept == nil, try writer.unsafeRead({ try keptModel(in: $0) }) != nil {
                return try preparation(of: writer, model: nil, options: options, isShared: isShared)
            }
            if try writer.unsafeRead({ try isEmpty($0) }) {
                throw ObjectStorageError(
                    .storeMissing,
                    "There is no store in the file: it is an empty database. Check the path, or pass a model to create one."
                )
            }
            throw try writer.unsafeRead { try foreignDatabase($0) }
        }
        if kept == nil, options.existingTables == nil, let entity = model.entitiesOfExistingTables.first {
            throw trackingUndecided(entity.tableName, entity.name)
        }
        guard !options.isReadOnly else {
            throw ObjectStorageError(
                .storeReadOnly,
                "The store's schema does not match the model, and the store was opened read-only. Open it for writing once\(model.hasExistingTables ? ", or with existingTables: .untracked" : "")."
            )
        }
        return .shaping(model)
    }

    /// Creates a store or migrates it to a model, and runs `body` in the same transaction.
    ///
    /// Foreign keys are not enforced during the transaction.
    ///
    /// - Parameter body: Receives the model to use. If it throws, everything is rolled back.
    static func prepareSchema<Output>(
        of writer: any DatabaseWriter, for model: ManagedObjectModel, options: StoreOptions,
        isShared: Bool = false, _ body: (Database, ManagedObjectModel) throws -> Output
    ) throws -> Output {
        try writer.writeWithoutTransaction { database in
            // The journal mode is stored in the file; only an empty database may get another one.
            if !isShared, try isEmpty(database) { try keepWriteAheadLog(in: database, options) }
            // Tables may be replaced; foreign keys are checked at the end instead. Within a transaction this
            // pragma has no effect.
            let enforced = try database.rows("PRAGMA foreign_keys").first?.first
            try database.runScript("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
            let outcome = Result {
                var output: Output?
                try database.inTransaction(.immediate) {
                    // Another process may have been faster.
                    let kept = try keptModel(in: database)
                    let union = try create(
                        model, beside: kept, options: options, isShared: isShared, in: database)
                    output = try body(database, model.sharingTables(with: union))
                    // The application may have read the schema, and may observe tables whose rows moved.
                    if isShared {
                        database.clearSchemaCache()
                        try database.notifyChanges(in: .fullDatabase)
                    }
                    return .commit
                }
                guard let output else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return output
            }
            // A connection that continued without foreign keys would leave references to deleted rows.
            try database.runScript(
                "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = \(enforced == .integer(0) ? "OFF" : "ON")"
            )
            return try outcome.get()
        }
    }

    /// Sets an empty database to WAL mode. SQLite does not wait for other programs that do so at the same
    /// time, so the attempt is repeated.
    private static func keepWriteAheadLog(in database: Database, _ options: StoreOptions) throws {
        let end = ContinuousClock.now + .milliseconds(Int(options.busyMilliseconds))
        while true {
            do {
                _ = try database.rows("PRAGMA main.journal_mode = WAL")
                return
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
            {
                usleep(2_000)
            }
        }
    }

    /// Returns the model in a store, after checking that no table is replaced by a view or a virtual table;
    /// nil for an empty database.
    private static func checkedModel(
        _ options: StoreOptions, in database: any StatementSource
    ) throws -> (format: Int64, digest: [UInt8], jsonText: String)? {
        guard let kept = try keptModel(in: database) else { return nil }
        try UntrustedStore.checkTables(
            of: ManagedObjectModel(jsonText: kept.jsonText), isTrusted: !options.isUntrusted, in: database)
        return kept
    }

    /// Returns the model in a store, or nil for an empty database.
    static func keptModel(
        in database: any StatementSource
    ) throws -> (format: Int64, digest: [UInt8], jsonText: String)? {
        let sql = "SELECT format, modelDigest, model FROM main.sc_store WHERE id = 1"
        let rows: [[StoredValue]]
        do {
            rows = try database.rows(sql)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The table does not exist, or has other columns.
            let isThere = try database.rows("SELECT 1 FROM main.sqlite_schema WHERE name = 'sc_store'")
            guard !isThere.isEmpty else { return nil }
            do {
                // Another program may have created it in between.
                rows = try database.rows(sql)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                throw unreadableControlTable
            }
        }
        guard let row = rows.first, case .integer(let format) = row[0], case .blob(let digest) = row[1],
            case .text(let jsonText) = row[2]
        else { throw unreadableControlTable }
        guard format <= StoreSchema.format else {
            throw ObjectStorageError(
                .newerFormat,
                "The store has format \(format); this library reads up to \(StoreSchema.format). Use a newer version of the library."
            )
        }
        return (format, digest, jsonText)
    }

    /// Returns whether a database contains nothing.
    static func isEmpty(_ database: Database) throws -> Bool {
        try database.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1").isEmpty
    }

    private static var unreadableControlTable: ObjectStorageError {
        ObjectStorageError(
            .foreignStore,
            "The database's table sc_store does not have the format of this library. Check the path, or restore the file."
        )
    }

    /// Creates missing parts, and returns the model that the store now contains.
    private static func create(
        _ model: ManagedObjectModel, beside kept: (format: Int64, digest: [UInt8], jsonText: String)?,
        options: StoreOptions, isShared: Bool, in database: Database
    ) throws -> ManagedObjectModel {
        var union = model
        if kept != nil {
            try DerivedAttributes.removeTriggers(in: database)
            try LargeValueTable.createTable(for: model, in: database)
        }
        if let kept {
            let keptModel = try ManagedObjectModel(jsonText: kept.jsonText)
            let isReplaced =
                options.replacesModel
                && (keptModel.entities + model.entities).allSatisfy { $0.existingTable != nil }
            if !isReplaced {
                union = try migrate(from: keptModel, to: model, options: options, in: database)
            }
            try endTracking(from: keptModel, to: union, in: database)
        } else {
            guard try isShared || model.hasExistingTables || isEmpty(database) else {
                throw try foreignDatabase(database)
            }
            try database.run(StoreSchema.storeTable)
            try database.run(StoreSchema.generationTable)
            try database.run(StoreSchema.logTable)
            try database.run(StoreSchema.epochTable)
            try LargeValueTable.createTable(for: model, in: database)
        }
        for table in union.tables {
            // External tables of entities that only another program's model has are not checked.
            if table.root.mapping == nil {
                try createTable(table, model: union, in: database)
            } else if model.entity(named: table.root.name) != nil {
                try trackExistingTable(
                    TrackedTable(table, of: union), of: table.root.name, options: options, in: database)
            }
        }
        for table in union.linkTables {
            if table.existing != nil {
                try trackExistingTable(
                    TrackedTable(table), of: table.sourceEntityName, options: options, in: database)
            } else {
                try createLinkTable(table, of: union, in: database)
            }
        }
        if kept != nil {
            for index in try missingIndexes(of: union, in: database) { try database.run(index) }
            // The triggers depend on unique indexes.
            for table in union.tables where table.root.mapping == nil {
                try ChangeTracking.mend(TrackedTable(table, of: union), in: database)
            }
            try LargeValueTable.deleteUnused(union, in: database)
            try DerivedAttributes(of: union)?.computeAll(in: database)
        }
        try writeModel(union, isNew: kept == nil, in: database)
        let vacuumed = try ChangeTracking.settleStampedSchemas(in: database)
        try ChangeTracking.stamp(in: database, vacuumed: vacuumed)
        return union
    }

    private static func createTable(
        _ table: EntityTable, model: ManagedObjectModel, in database: Database
    ) throws {
        let name = table.root.tableName
        let existing = try database.rows(
            "SELECT type FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')",
            [.text(name)])
        let isTracked = try !database.rows("SELECT 1 FROM main.sc_gen WHERE tbl = ?1", [.text(name)])
            .isEmpty
        guard !isTracked else { return }
        guard existing.isEmpty else {
            throw ObjectStorageError(
                .foreignStore,
                "The database already has a table or view “\(name)” that does not belong to the store. Give the entity another name, or map it to that table.",
                entityName: name)
        }
        try database.run(StoreSchema.table(table, of: model))
        for index in StoreSchema.indexes(table) { try database.run(index) }
        for trigger in LargeValueTable.triggers(table) { try database.run(trigger.sql) }
        try ChangeTracking.begin(TrackedTable(table, of: model), in: database)
    }

    /// Returns the statements that create the indexes that a model declares and the store's own tables lack.
    /// An index that is no longer declared is dropped when its table is migrated: another program may still
    /// declare it.
    static func missingIndexes(
        of model: ManagedObjectModel, in database: Database
    ) throws -> [String] {
        let existing = try database.rows("SELECT name FROM main.sqlite_schema WHERE type = 'index'")
        return model.tables.filter { $0.root.mapping == nil }.flatMap { table in
            table.indexes.filter { !existing.contains([.text($0.name)]) }.map {
                StoreSchema.index($0, of: table)
            }
        }
    }

    /// Creates a link table, unless it exists.
    static func createLinkTable(
        _ table: LinkTable, of model: ManagedObjectModel, in database: Database
    ) throws {
        let known = try database.rows("SELECT 1 FROM main.sc_gen WHERE tbl = ?1", [.text(table.name)])
        guard known.isEmpty else { return }
        for statement in StoreSchema.linkTable(table, of: model) { try database.run(statement) }
        try ChangeTracking.begin(TrackedTable(table), in: database)
    }

    private static func writeModel(_ model: ManagedObjectModel, isNew: Bool, in database: Database) throws {
        let values: [StoredValue] = [.blob(model.storageDigest), .text(try model.jsonText())]
        guard isNew else {
            return try database.run(
                "UPDATE main.sc_store SET modelDigest = ?1, model = ?2 WHERE id = 1", values)
        }
        try database.run(
            "INSERT INTO main.sc_store (id, uuid, mackey, format, modelDigest, model) VALUES (1, ?3, ?4, ?5, ?1, ?2)",
            values + [
                .blob(ChangeTracking.randomBytes(16)), .blob(ChangeTracking.randomBytes(32)),
                .integer(StoreSchema.format),
            ])
    }
}
