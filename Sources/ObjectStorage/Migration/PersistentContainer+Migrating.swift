import GRDB

extension PersistentContainer {
    /// Migrates a store to a model, in the current transaction of `database`, and returns the model to store.
    ///
    /// - Throws: ``ObjectStorageError`` for a store of a newer model, a difference that needs a step, or data
    ///   that violate the new model.
    static func migrate(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, options: StoreOptions,
        in database: Database
    ) throws -> ManagedObjectModel {
        try refuseNewer(kept, than: model, in: database)
        let plan = try MigrationPlan(from: kept, to: model, steps: options.migrationSteps)
        guard !plan.isEmpty else { return plan.model }
        guard options.migratesAutomatically else {
            throw ObjectStorageError(
                .modelMismatch,
                "The model differs from the store's: \(plan.tables.flatMap(\.parts).map { difference($0) }.joined(separator: "; ")). "
                    + "Open the store with the model that it was made with, or enable automatic migration.",
                entityName: plan.tables.first?.parts.first?.destination.name)
        }
        try database.run(StoreSchema.historyTable)
        try database.run(
            "INSERT INTO main.sc_history (modelDigest, model) VALUES (?1, ?2)",
            [.blob(kept.versionDigest), .text(try kept.jsonText())])
        try plan.run(in: database)
        return plan.model
    }

    /// Refuses a model with an earlier version of an entity that the store has already replaced by a later
    /// one.
    private static func refuseNewer(
        _ kept: ManagedObjectModel, than model: ManagedObjectModel, in database: Database
    ) throws {
        guard try !database.rows("SELECT 1 FROM main.sqlite_schema WHERE name = 'sc_history'").isEmpty else {
            return
        }
        let kept = kept.restricted(to: model) ?? kept
        for row in try database.rows("SELECT model FROM main.sc_history ORDER BY id DESC") {
            guard case .text(let text)? = row.first else { continue }
            var previous = try ManagedObjectModel(jsonText: text)
            previous = previous.restricted(to: model) ?? previous
            for entity in model.entities {
                let version = entity.versionDigest
                guard previous.versionDigest(ofEntityNamed: entity.name) == version,
                    kept.versionDigest(ofEntityNamed: entity.name) != version
                else { continue }
                throw ObjectStorageError(
                    .newerModel,
                    "The store was made with a newer model: entity “\(entity.name)” has changed since the version of this program. Use a newer version of the program.",
                    entityName: entity.name)
            }
        }
    }

    private static func difference(_ part: MigrationPlan.Part) -> String {
        let mine = Set(part.destination.columnPropertyNames + part.destination.relationships.map(\.name))
        let theirs = Set(part.source.columnPropertyNames + part.source.relationships.map(\.name))
        let changed = mine.intersection(theirs).filter { name in
            part.source.attribute(named: name) != part.destination.attribute(named: name)
                || part.source.relationship(named: name) != part.destination.relationship(named: name)
        }
        let lists = [
            ("new", mine.subtracting(theirs).sorted()), ("missing", theirs.subtracting(mine).sorted()),
            ("changed", changed.sorted()),
            (
                "other sub-entities",
                Set(part.source.subentityNames).symmetricDifference(part.destination.subentityNames).sorted()
            ),
        ]
        let words = lists.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
        return "entity “\(part.destination.name)” (\(words.joined(separator: "; ")))"
    }
}
