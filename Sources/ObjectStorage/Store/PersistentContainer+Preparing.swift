import GRDB

extension PersistentContainer {
    /// The model to use for a store that is there and has all that a program needs; nil if there is more to do or to say.
    ///
    /// - Throws: `DatabaseError` alone.
    static func settledModel(in reader: ReadConnection, model: ManagedObjectModel?) throws
        -> ManagedObjectModel?
    {
        do {
            guard let kept = try reader.read({ try keptModel(in: $0) }) else { return nil }
            guard let model else { return try ManagedObjectModel(jsonText: kept.jsonText) }
            return kept.digest == model.versionDigest ? model : nil
        } catch let error as DatabaseError {
            throw error
        } catch {
            return nil
        }
    }

    /// Finds out whose database this is, makes what is missing, and gives the model to use.
    ///
    /// A store that has the model already costs one small read.
    static func prepare(
        _ writer: any DatabaseWriter, model: ManagedObjectModel?, isReadOnly: Bool, isShared: Bool = false
    ) throws -> ManagedObjectModel {
        let kept = try writer.unsafeRead { try keptModel(in: $0) }
        if let kept, let model, kept.digest == model.versionDigest { return model }
        if let kept {
            let keptModel = try ManagedObjectModel(jsonText: kept.jsonText)
            guard let model else { return keptModel }
            try requireAgreement(of: model, with: keptModel)
            // The store may have more entities than this program knows.
            if model.entities.allSatisfy({ keptModel.entity(named: $0.name) != nil }) { return model }
        }
        guard let model else {
            if try writer.unsafeRead({ try isEmpty($0) }) {
                throw ObjectStorageError(
                    .storeMissing,
                    "There is no store in the file: it is an empty database. Check the path, or give a model to make one."
                )
            }
            throw ObjectStorageError(
                .foreignStore,
                "The file is an SQLite database, but not a store of this library: it has no table sc_store. Check the path."
            )
        }
        guard !isReadOnly else {
            throw ObjectStorageError(
                .storeReadOnly, "The store lacks entities of the model, and is opened for reading alone.")
        }
        try writer.writeWithoutTransaction { database in
            // The mode is kept in the file; only a database that is empty may be given another.
            if kept == nil, !isShared, try isEmpty(database) {
                _ = try database.rows("PRAGMA main.journal_mode = WAL")
            }
            try database.inTransaction(.immediate) {
                // Another process may have been quicker.
                let kept = try keptModel(in: database)
                try create(model, beside: kept, isShared: isShared, in: database)
                return .commit
            }
        }
        return model
    }

    /// The model that a store keeps, or nil for an empty database.
    static func keptModel(in database: any StatementSource) throws -> (digest: [UInt8], jsonText: String)? {
        let rows: [[StoredValue]]
        do {
            rows = try database.rows("SELECT format, modelDigest, model FROM main.sc_store WHERE id = 1")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // No such table, or not with these columns.
            let isThere = try database.rows("SELECT 1 FROM main.sqlite_schema WHERE name = 'sc_store'")
            guard isThere.isEmpty else { throw unreadableControlTable }
            return nil
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
        return (digest, jsonText)
    }

    /// Whether nobody has made anything in a database yet.
    private static func isEmpty(_ database: Database) throws -> Bool {
        try database.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1").isEmpty
    }

    private static var unreadableControlTable: ObjectStorageError {
        ObjectStorageError(
            .foreignStore,
            "The database's table sc_store is not what this library writes. Check the path, or restore the file."
        )
    }

    private static func create(
        _ model: ManagedObjectModel, beside kept: (digest: [UInt8], jsonText: String)?, isShared: Bool,
        in database: Database
    ) throws {
        var entities = model.entities
        if let kept {
            let keptModel = try ManagedObjectModel(jsonText: kept.jsonText)
            try requireAgreement(of: model, with: keptModel)
            entities = keptModel.entities + model.entities.filter { keptModel.entity(named: $0.name) == nil }
        } else {
            guard try isShared || isEmpty(database) else {
                throw ObjectStorageError(
                    .foreignStore,
                    "The file is another application's SQLite database. Give a new path, or hand over its connection to share it."
                )
            }
            try database.run(StoreSchema.storeTable)
            try database.run(StoreSchema.generationTable)
        }
        let union = try ManagedObjectModel(entities: entities)
        for entity in model.entities {
            try createTable(of: entity, model: union, in: database)
        }
        for table in union.linkTables { try createLinkTable(table, in: database) }
        try writeModel(union, isNew: kept == nil, in: database)
        try StoreTracking.seal(in: database)
    }

    private static func createTable(
        of entity: EntityDescription, model: ManagedObjectModel, in database: Database
    ) throws {
        let existing = try database.rows(
            "SELECT type FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')",
            [.text(entity.name)])
        let isTracked = try !database.rows("SELECT 1 FROM main.sc_gen WHERE tbl = ?1", [.text(entity.name)])
            .isEmpty
        guard !isTracked else { return }
        guard existing.isEmpty else {
            throw ObjectStorageError(
                .foreignStore,
                "The database already has a table or view “\(entity.name)” that is not ours. Give the entity another name.",
                entityName: entity.name)
        }
        try database.run(StoreSchema.table(entity, of: model))
        for index in StoreSchema.indexes(entity) { try database.run(index) }
        try StoreTracking.begin(entity.name, in: database)
    }

    private static func createLinkTable(_ table: LinkTable, in database: Database) throws {
        let known = try database.rows("SELECT 1 FROM main.sc_gen WHERE tbl = ?1", [.text(table.name)])
        guard known.isEmpty else { return }
        for statement in StoreSchema.linkTable(table) { try database.run(statement) }
        try StoreTracking.begin(table.name, in: database)
    }

    private static func writeModel(_ model: ManagedObjectModel, isNew: Bool, in database: Database) throws {
        let values: [StoredValue] = [.blob(model.versionDigest), .text(try model.jsonText())]
        guard isNew else {
            return try database.run(
                "UPDATE main.sc_store SET modelDigest = ?1, model = ?2 WHERE id = 1", values)
        }
        try database.run(
            "INSERT INTO main.sc_store (id, uuid, mackey, format, modelDigest, model) VALUES (1, ?3, ?4, ?5, ?1, ?2)",
            values + [
                .blob(StoreTracking.randomBytes(16)), .blob(StoreTracking.randomBytes(32)),
                .integer(StoreSchema.format),
            ])
    }

    /// An entity that both know must be the same in both.
    private static func requireAgreement(of model: ManagedObjectModel, with kept: ManagedObjectModel) throws {
        for entity in model.entities {
            guard let other = kept.entity(named: entity.name), other.versionDigest != entity.versionDigest
            else {
                continue
            }
            throw ObjectStorageError(
                .modelMismatch,
                "Entity “\(entity.name)” of the model differs from the store's: \(difference(entity, other)). "
                    + "Open the store with the model that it was made with.",
                entityName: entity.name)
        }
    }

    private static func difference(_ entity: EntityDescription, _ kept: EntityDescription) -> String {
        let mine = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        let theirs = Set(kept.attributes.map(\.name) + kept.relationships.map(\.name))
        let added = mine.subtracting(theirs).sorted()
        let removed = theirs.subtracting(mine).sorted()
        let changed = mine.intersection(theirs).sorted().filter {
            entity.attribute(named: $0)?.definition != kept.attribute(named: $0)?.definition
                || entity.relationship(named: $0) != kept.relationship(named: $0)
        }
        return [("new", added), ("missing", removed), ("changed", changed)]
            .filter { !$0.1.isEmpty }
            .map { "\($0.0): \($0.1.joined(separator: ", "))" }
            .joined(separator: "; ")
    }
}

extension AttributeDescription {
    /// What decides what the attribute's data mean: all but whether there is an index.
    fileprivate var definition: AttributeDescription {
        AttributeDescription(
            name: name, type: type, isOptional: isOptional, isUnique: isUnique, defaultValue: defaultValue)
    }
}
