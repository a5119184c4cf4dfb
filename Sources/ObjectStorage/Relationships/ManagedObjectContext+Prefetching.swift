extension ManagedObjectContext {
    /// Reads the rows at the other ends of some objects' relationships, with one statement for each
    /// relationship and 500 objects instead of one for each object.
    ///
    /// - Parameter paths: Dotted names of relationships.
    func prefetch(
        _ paths: [String], of objects: [ManagedObject], runtime: EntityRuntime
    ) throws(ObjectStorageError) {
        guard !paths.isEmpty, !objects.isEmpty else { return }
        try checkPrefetching(paths, of: runtime.description)
        let prefetched = PrefetchedRows(generation: storeGeneration)
        let roots = objects.compactMap { object -> PrefetchSource? in
            guard let key = object.rowKey, !object.isFault else { return nil }
            return PrefetchSource(key: key, entity: object.entity, values: object.values)
        }
        try read("Prefetching relationships of “\(runtime.description.name)”") { database in
            for path in paths {
                var sources = roots
                var entity = runtime.description
                for name in path.split(separator: ".") {
                    guard let relationship = entity.relationship(named: String(name)) else { break }
                    let destination = try container.model.requireEntity(
                        named: relationship.destinationEntityName)
                    let step = PrefetchStep(
                        relationship: relationship, entity: entity,
                        destination: try requireRuntime(ofEntityNamed: destination.name), context: self,
                        database: database)
                    sources = try step.read(from: sources, into: prefetched)
                    entity = destination
                }
            }
        }
        for object in objects { object.prefetched = prefetched }
    }

    /// Throws an error if a key path does not consist of relationships only.
    func checkPrefetching(
        _ paths: [String], of root: EntityDescription
    ) throws(ObjectStorageError) {
        for path in paths {
            var entity = root
            for name in path.split(separator: ".", omittingEmptySubsequences: false) {
                guard let relationship = entity.relationship(named: String(name)) else {
                    guard entity.attribute(named: String(name)) != nil else {
                        throw entity.unknownProperty(String(name))
                    }
                    throw ObjectStorageError(
                        .invalidKeyPath,
                        "“\(path)” cannot be prefetched: “\(entity.name).\(name)” is an attribute, which is read with its object.",
                        entityName: entity.name, propertyName: String(name))
                }
                entity = try container.model.requireEntity(named: relationship.destinationEntityName)
            }
        }
    }
}

/// A row from which relationships are followed.
private struct PrefetchSource {
    let key: Int64
    let entity: EntityDescription
    let values: [StoredValue]
}

/// One relationship followed from many rows.
private struct PrefetchStep {
    /// The maximum number of keys in a statement. SQLite allows at least 999 parameters.
    private static let keysAtATime = 500

    let relationship: RelationshipDescription
    let entity: EntityDescription
    let destination: EntityRuntime
    let context: ManagedObjectContext
    let database: any StatementSource
    private var table: String { destination.registry.tableName }

    /// Reads the rows that the relationship of `sources` leads to, and returns them as the sources of the
    /// next relationship of the path.
    func read(from sources: [PrefetchSource], into prefetched: PrefetchedRows) throws -> [PrefetchSource] {
        guard relationship.isToMany else { return try readToOne(sources, prefetched) }
        if let end = context.container.model.linkEnd(of: relationship, in: entity) {
            return try readLinks(end, sources, prefetched)
        }
        guard let inverse = relationship.inverseName, destination.slot(ofToOneNamed: inverse) != nil
        else { return [] }
        let name = PrefetchedRows.RelationshipName(
            entity: entity.declaringEntityName(ofRelationshipNamed: relationship.name),
            relationship: relationship.name)
        let missing = Set(sources.map(\.key)).filter { prefetched.keys(name, of: $0) == nil }
        var related: [Int64: [Int64]] = [:]
        for key in missing { related[key] = [] }
        try forEachRow(where: destination.description.columnSQL(inverse), isIn: missing.sorted()) {
            key, runtime, values in
            prefetched.add(
                PrefetchedRows.Row(entityName: runtime.description.name, values: values), table, key)
            if let slot = runtime.slot(ofToOneNamed: inverse), case .integer(let owner) = values[slot] {
                related[owner, default: []].append(key)
            }
        }
        prefetched.add(related, name)
        return sources.flatMap { source in
            found((prefetched.keys(name, of: source.key) ?? []), prefetched)
        }
    }

    private func readToOne(
        _ sources: [PrefetchSource], _ prefetched: PrefetchedRows
    ) throws -> [PrefetchSource] {
        var keys: Set<Int64> = []
        for source in sources {
            // The slot differs between sub-entities.
            guard let slot = source.entity.slotNames.firstIndex(of: relationship.name) else { continue }
            if case .integer(let key) = source.values[slot] { keys.insert(key) }
        }
        let missing = keys.filter { prefetched.row(table, $0) == nil }
        try forEachRow(where: destination.description.keySQL, isIn: missing.sorted()) {
            key, runtime, values in
            prefetched.add(
                PrefetchedRows.Row(entityName: runtime.description.name, values: values), table, key)
        }
        return found(keys.sorted(), prefetched)
    }

    private func readLinks(
        _ end: LinkEnd, _ sources: [PrefetchSource], _ prefetched: PrefetchedRows
    ) throws -> [PrefetchSource] {
        let name = PrefetchedRows.RelationshipName(
            entity: entity.declaringEntityName(ofRelationshipNamed: relationship.name),
            relationship: relationship.name)
        let missing = Set(sources.map(\.key)).filter { prefetched.keys(name, of: $0) == nil }
        var related: [Int64: [Int64]] = [:]
        for key in missing { related[key] = [] }
        let order = end.positionColumn.map { "\($0) IS NULL, \($0), " } ?? ""
        try forEachRow(
            of:
                "SELECT \(end.ownColumn), \(end.otherColumn) FROM \(end.table.tableSQL) WHERE \(end.ownColumn)",
            in: missing.sorted(), "ORDER BY \(order)\(end.otherColumn)"
        ) { related[$0.integer(0), default: []].append($0.integer(1)) }
        let unread = Set(related.values.joined()).filter { prefetched.row(table, $0) == nil }
        try forEachRow(where: destination.description.keySQL, isIn: unread.sorted()) { key, runtime, values in
            prefetched.add(
                PrefetchedRows.Row(entityName: runtime.description.name, values: values), table, key)
        }
        // A program that does not enforce foreign keys may have left links to rows that no longer exist.
        prefetched.add(
            related.mapValues { keys in keys.filter { prefetched.row(table, $0) != nil } }, name)
        return sources.flatMap { source in
            found((prefetched.keys(name, of: source.key) ?? []), prefetched)
        }
    }

    private func found(_ keys: [Int64], _ prefetched: PrefetchedRows) -> [PrefetchSource] {
        keys.compactMap { key in
            guard let row = prefetched.row(table, key),
                let entity = context.container.model.entity(named: row.entityName)
            else { return nil }
            return PrefetchSource(key: key, entity: entity, values: row.values)
        }
    }

    private func forEachRow(
        where column: String, isIn keys: [Int64], _ body: (Int64, EntityRuntime, [StoredValue]) -> Void
    ) throws {
        let entity = destination.description
        let condition = entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
        try forEachRow(
            of:
                "SELECT \(ManagedObjectContext.rowColumns(destination)) FROM \(entity.tableSQL) WHERE \(column)",
            in: keys, "\(condition) ORDER BY \(entity.keySQL)"
        ) { statement in
            guard let row = context.row(of: statement, destination) else { return }
            body(statement.integer(0), row.runtime, row.values)
        }
    }

    /// Steps through the rows of a statement that is executed for up to 500 keys at a time.
    ///
    /// - Parameters:
    ///   - beginning: The statement up to the column that is compared with the keys.
    ///   - end: The SQL text after the list of keys.
    private func forEachRow(
        of beginning: String, in keys: [Int64], _ end: String, _ body: (SQLiteStatement) -> Void
    ) throws {
        var rest = keys[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.keysAtATime)
            rest = rest.dropFirst(some.count)
            let parameters = (1...some.count).map { "?\($0)" }.joined(separator: ", ")
            let statement = try SQLiteStatement("\(beginning) IN (\(parameters)) \(end)", in: database)
            try statement.bind(some.map(StoredValue.integer))
            try statement.use { statement in
                while try statement.step() { body(statement) }
            }
        }
    }
}
