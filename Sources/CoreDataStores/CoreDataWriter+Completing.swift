import ObjectStorage

extension CoreDataWriter {
    func complete(in database: ExternalStoreConnection) throws(ObjectStorageError) -> Set<ObjectID> {
        guard !recorder.isEmpty else { return [] }
        for index in plan.tables.indices { try completeFiles(ofTable: index, in: database) }
        for index in plan.tables.indices { try completeReferences(ofTable: index, in: database) }
        for index in plan.tables.indices { try forgetUnchangedRows(ofTable: index, in: database) }
        for index in plan.pairs.indices { try completePairs(ofTable: index, in: database) }
        try checkRefusals(in: database)
        for (index, table) in plan.tables.enumerated() {
            try completeVersions(ofTable: index, in: database)
            guard let last = recorder.inserted[index]?.max() else { continue }
            let changed = try database.run(
                "UPDATE main.Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), ?2) WHERE Z_ENT = ?1",
                [.integer(table.rootNumber), .integer(last)])
            guard changed == 1 else { throw damaged("Z_PRIMARYKEY has no row for \(table.name)") }
        }
        if plan.hasHistory { try appendHistory(in: database) }
        return try objectIDsOfUpdatedRows(in: database)
    }

    /// Returns the error for a store that contradicts the format.
    func damaged(_ reason: String) -> ObjectStorageError {
        ObjectStorageError(
            .existingTableMismatch, "The store is damaged: \(reason). Nothing was saved; restore the file.")
    }

    /// Throws an error for the first row that cannot be written completely.
    private func checkRefusals(in database: ExternalStoreConnection) throws(ObjectStorageError) {
        for (index, table) in plan.tables.enumerated() {
            let inserted = try entities(of: recorder.insertedKeys(inTable: index), in: table, database)
            let updated = try entities(of: recorder.updatedKeys(inTable: index), in: table, database)
            for (keys, reasons, verb) in [
                (inserted, plan.refusals.insertions, "inserted"), (updated, plan.refusals.updates, "changed"),
                (recorder.deletedKeys(inTable: index), plan.refusals.deletions, "deleted"),
            ] {
                for (key, number) in keys {
                    guard let name = table.entityNames[number] else {
                        throw damaged("row \(key) of \(table.name) has the unknown entity \(number)")
                    }
                    guard let reason = reasons[name] else { continue }
                    throw ObjectStorageError(
                        .existingTableMismatch,
                        "Objects of “\(name)” cannot be \(verb) in this store: \(reason) Nothing was saved.",
                        entityName: name)
                }
            }
        }
    }

    /// Returns the numbers of the entities of rows.
    func entities(
        of keys: [Int64], in table: WritingPlan.Table, _ database: ExternalStoreConnection
    ) throws(ObjectStorageError) -> [(key: Int64, entity: Int64)] {
        var entities: [(key: Int64, entity: Int64)] = []
        for list in keys.lists() {
            let rows = try database.rows(
                "SELECT Z_PK, Z_ENT FROM main.\(table.name.quotedIdentifier) WHERE Z_PK IN (\(list)) ORDER BY Z_PK"
            )
            for row in rows {
                guard case .integer(let key) = row[0], case .integer(let number) = row[1] else {
                    throw damaged("a row of \(table.name) has no entity")
                }
                entities.append((key, number))
            }
        }
        return entities
    }

    /// Forgets the updates of rows that have their former values again: a statement of the save changed them,
    /// and a later one restored them.
    private func forgetUnchangedRows(
        ofTable index: Int, in database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let table = plan.tables[index]
        for list in recorder.updatedKeys(inTable: index).lists() {
            let rows = "main.\(table.name.quotedIdentifier) WHERE Z_PK IN (\(list))"
            recorder.beginComparison()
            for call in ChangeRecorder.comparisonSQL(of: table, position: index) {
                _ = try database.rows("SELECT \(call) FROM \(rows)")
            }
            recorder.forgetEqualRows(inTable: index)
        }
    }

    /// Throws an error for a changed reference to a row that does not exist. A reference that was dangling
    /// before the save remains.
    private func checkReference(
        _ reference: WritingPlan.Reference, ofTable index: Int, _ rows: String,
        in database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let table = plan.tables[index]
        let column = reference.column.quotedIdentifier
        let destination = "main." + reference.destination.quotedIdentifier
        let dangling = try database.rows(
            "SELECT Z_PK, Z_ENT, \(column) FROM main.\(table.name.quotedIdentifier) AS t WHERE \(rows) AND \(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination) AS d WHERE d.Z_PK = t.\(column)) ORDER BY Z_PK"
        )
        for row in dangling {
            guard case .integer(let key) = row[0], case .integer(let number) = row[1] else { continue }
            let former = recorder.formerValue(of: key, inTable: index, reference.column, of: table)
            if former == RecordedValue(row[2]) { continue }
            let objectID = table.entityNames[number].map { ObjectID(entityName: $0, primaryKey: key) }
            throw ObjectStorageError(
                .conflict,
                "\(objectID.map { "\($0)" } ?? "Row \(key) of \(table.name)") would lead to a row of \(reference.destination) that does not exist (\(reference.column)). Nothing was saved; merge the changes of the store, and save again.",
                entityName: objectID?.entityName, objectID: objectID)
        }
    }

    /// Sets the columns with the entities of destinations, and the positions in ordered inverses.
    private func completeReferences(
        ofTable index: Int, in database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let table = plan.tables[index]
        let name = "main." + table.name.quotedIdentifier
        for reference in table.references {
            let column = reference.column.quotedIdentifier
            let isOwner =
                "Z_ENT IN (\(reference.entityNumbers.map { String($0) }.joined(separator: ", ")))"
            let destination = "main." + reference.destination.quotedIdentifier
            let changed = recorder.insertedKeys(inTable: index) + recorder.updatedKeys(inTable: index)
            for list in changed.lists() {
                let rows = "\(isOwner) AND Z_PK IN (\(list))"
                try checkReference(reference, ofTable: index, rows, in: database)
                if let classColumn = reference.classColumn?.quotedIdentifier {
                    let entity = "(SELECT d.Z_ENT FROM \(destination) AS d WHERE d.Z_PK = t.\(column))"
                    try database.run(
                        "UPDATE \(name) AS t SET \(classColumn) = \(entity) WHERE \(rows) AND \(classColumn) IS NOT \(entity)"
                    )
                }
            }
            guard let order = reference.orderColumn?.quotedIdentifier else { continue }
            var owners: Set<Int64> = []
            for list in changed.lists() {
                try database.run(
                    "UPDATE \(name) SET \(order) = NULL WHERE \(isOwner) AND Z_PK IN (\(list)) AND \(column) IS NULL AND \(order) IS NOT NULL"
                )
                let rows = try database.rows(
                    "SELECT DISTINCT \(column) FROM \(name) WHERE \(isOwner) AND Z_PK IN (\(list)) AND \(column) IS NOT NULL"
                )
                for case .integer(let owner) in rows.map({ $0[0] }) { owners.insert(owner) }
            }
            for owner in owners.sorted() {
                try completeOrder(
                    in: name, of: "Z_PK", order, where: "\(column) = ?1 AND \(isOwner)", owner, database)
            }
        }
    }

    /// Sets the positions of changed lists of pairs, and notes the rows at both ends as changed.
    private func completePairs(ofTable index: Int, in database: ExternalStoreConnection)
        throws(ObjectStorageError)
    {
        let pairs = plan.pairs[index]
        let name = "main." + pairs.name.quotedIdentifier
        let changed = recorder.pairs[index] ?? []
        for (position, end) in pairs.ends.enumerated() {
            guard let order = end.orderColumn?.quotedIdentifier else { continue }
            let other = pairs.ends[1 - position].column.quotedIdentifier
            for key in Set(changed.map { $0[position] }).sorted() {
                try completeOrder(
                    in: name, of: other, order, where: "\(end.column.quotedIdentifier) = ?1", key, database)
            }
        }
        // The recorder has the pairs with new positions as well.
        for (position, end) in pairs.ends.enumerated() {
            guard let table = plan.tables.firstIndex(where: { $0.name == end.table }) else { continue }
            for pair in recorder.pairs[index] ?? [] {
                recorder.noteUpdate(of: pair[position], inTable: table)
            }
        }
    }

    /// Makes the positions of a list distinct and ascending. Members without a position come last, in the
    /// order of their keys, as they are shown.
    private func completeOrder(
        in name: String, of member: String, _ order: String, where condition: String, _ owner: Int64,
        _ database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let rows = try database.rows(
            "SELECT \(member), \(order) FROM \(name) WHERE \(condition) ORDER BY \(order) IS NULL, \(order), \(member)",
            [.integer(owner)])
        let present = rows.map { row -> Int64? in
            if case .integer(let position) = row[1], position > 0 { position } else { nil }
        }
        let isComplete =
            !present.contains(nil) && zip(present, present.dropFirst()).allSatisfy { ($0 ?? 0) < ($1 ?? 0) }
        guard !isComplete else { return }
        for (row, position) in zip(rows, OrderPositions.coreDataPositions(current: present))
        where row[1] != .integer(position) {
            try database.run(
                "UPDATE \(name) SET \(order) = ?3 WHERE \(condition) AND \(member) = ?2",
                [.integer(owner), row[0], .integer(position)])
        }
    }

    /// Increases the number of changes of each updated row by one. A new row gets 1, even if the object had
    /// an earlier row.
    private func completeVersions(
        ofTable index: Int, in database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let name = plan.tables[index].name.quotedIdentifier
        for list in recorder.updatedKeys(inTable: index).lists() {
            try database.run(
                "UPDATE main.\(name) SET Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK IN (\(list))")
        }
        for list in recorder.insertedKeys(inTable: index).lists() {
            try database.run(
                "UPDATE main.\(name) SET Z_OPT = 1 WHERE Z_PK IN (\(list)) AND Z_OPT IS NOT 1")
        }
    }

    private func objectIDsOfUpdatedRows(
        in database: ExternalStoreConnection
    ) throws(ObjectStorageError) -> Set<ObjectID> {
        var objectIDs: Set<ObjectID> = []
        for (index, table) in plan.tables.enumerated() {
            for (key, number) in try entities(
                of: recorder.updatedKeys(inTable: index), in: table, database)
            {
                guard let name = table.entityNames[number] else { continue }
                objectIDs.insert(ObjectID(entityName: name, primaryKey: key))
            }
        }
        return objectIDs
    }
}

extension [Int64] {
    /// Returns the keys as lists of SQL, with at most 500 keys each.
    func lists() -> [String] {
        stride(from: 0, to: count, by: 500).map { start in
            self[start..<Swift.min(start + 500, count)].map { String($0) }.joined(separator: ", ")
        }
    }
}
