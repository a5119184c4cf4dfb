import GRDB
import ObjectModel

/// The inference of a model from the tables of a database.
struct ModelInference {
    let schema: SurveyedSchema
    let purpose: DatabaseSurvey.Purpose
    let views: StoreOptions.ReadableViews
    let examinedRowCount: Int
    /// The examined tables and views, in the order of the schema.
    var tables: [SurveyedTable] = []
    /// The tables of pairs, by name, with the references of both columns.
    var links: [String: (own: SurveyedTable.Reference, other: SurveyedTable.Reference)] = [:]
    /// The role of each table in the model.
    private(set) var outcomes: [DatabaseSurvey.Table] = []

    init(
        _ schema: SurveyedSchema, purpose: DatabaseSurvey.Purpose, views: StoreOptions.ReadableViews,
        examinedRowCount: Int
    ) {
        self.schema = schema
        self.views = views
        self.purpose = purpose
        self.examinedRowCount = max(0, min(examinedRowCount, Int(Int32.max)))
    }

    /// Infers the model. A table that cannot be an entity is left out, and does not affect the others.
    ///
    /// - Throws: An error of the connection.
    mutating func run(in source: any StatementSource) throws -> ManagedObjectModel {
        tables = schema.tables.filter {
            $0.problem == nil
                && ($0.kind == .table || $0.kind == .view && purpose == .reading && views.contains($0.name))
        }.map {
            SurveyedTable($0, purpose: purpose, examinedRowCount: examinedRowCount, in: source)
        }
        try findReferences(in: source)
        // Each round leaves out at least one table.
        for _ in 0...tables.count {
            findLinks()
            let draft = ModelDraft(self)
            do {
                let model = try ManagedObjectModel(entities: draft.entities)
                try ExistingTableCheck.check(
                    model, isReading: purpose == .reading, views: views, in: source)
                outcomes = schema.tables.map(draft.outcome)
                return model
            } catch let error as ObjectStorageError {
                guard let entityName = error.entityName,
                    let name = draft.tableName(ofEntityNamed: entityName),
                    let position = tables.firstIndex(where: { $0.name == name })
                else { throw error }
                tables[position].refuse(
                    reason: error.messageAsReason, remedy: "Describe the table in a model, without this part."
                )
            }
        }
        outcomes = schema.tables.map(ModelDraft(self).outcome)
        return try ManagedObjectModel(entities: [])
    }

    /// Returns an examined table or view; nil if none has the name.
    func table(named name: String) -> SurveyedTable? { tables.first { $0.name == name } }

    /// Returns whether the rows of a table are the objects of an entity.
    func isEntity(_ name: String) -> Bool { table(named: name)?.key != nil && links[name] == nil }

    /// Returns the references of a table that are relationships.
    func relationships(of table: SurveyedTable) -> [SurveyedTable.Reference] {
        table.references.filter { isEntity($0.tableName) }
    }

    /// Finds the tables that hold nothing but pairs of keys of entities.
    private mutating func findLinks() {
        links = [:]
        let destinations = Set(tables.flatMap { $0.references.map(\.tableName) })
        for table in tables where !destinations.contains(table.name) && table.refusalOfRows == nil {
            let references = table.references.filter { self.table(named: $0.tableName)?.key != nil }
            guard references.count == 2, table.references.count == 2 else { continue }
            let pair = references.map(\.columnName)
            let others = table.schema.columns.filter { !pair.contains($0.name) }
            // The only other column allowed is a key that SQLite assigns to each pair.
            let hasOnlyKey = others.allSatisfy { column in
                column.name == table.key?.columnName && table.key?.isAssigned == true
            }
            let isUnique = table.schema.uniqueIndexes.contains { $0.columns.sorted() == pair.sorted() }
            if hasOnlyKey, isUnique, table.schema.ambiguousColumns.isEmpty {
                links[table.name] = (references[0], references[1])
            }
        }
        // A table of pairs has no objects to which another table could refer.
        links = links.filter {
            links[$0.value.own.tableName] == nil && links[$0.value.other.tableName] == nil
        }
    }
}
