import GRDB

extension PendingChanges {
    /// Inserts the rows of all new objects that are not merged with other rows, in the order of their
    /// insertion.
    func insertAll(for purpose: Purpose, in database: Database, _ outcome: inout Outcome) throws {
        let inserted = insertedAlone(outcome)
        var start = 0
        var several: (runtime: EntityRuntime, writer: RowWriter)?
        var single: [(runtime: EntityRuntime, writer: RowWriter)] = []
        while start < inserted.count {
            let runtime = inserted[start].runtime
            let end = start + RowWriter.severalRows
            // Rows of external tables are inserted one by one, so that their triggers run after each.
            let areSeveral =
                end <= inserted.count && runtime.canInsertSeveral
                && inserted[start..<end].allSatisfy { $0.runtime === runtime }
            guard areSeveral else {
                let object = inserted[start]
                let values = try storedValues(of: object, for: purpose, in: database, &outcome)
                if !single.contains(where: { $0.runtime === runtime }) {
                    single.append((runtime, try RowWriter(runtime.insertion, in: database)))
                }
                let writer = single.first { $0.runtime === runtime }?.writer
                let key = outcome.keys[object]
                try insertingWithDuplicates(object, for: purpose, in: database, &outcome) {
                    try writer?.add(key: key, values)
                }
                outcome.writtenRows += database.changesCount
                start += 1
                continue
            }
            if several?.runtime !== runtime {
                several = (
                    runtime,
                    try RowWriter(runtime.insertion, numberOfRows: RowWriter.severalRows, in: database)
                )
            }
            var rows: [(object: ManagedObject, values: [StoredValue])] = []
            rows.reserveCapacity(RowWriter.severalRows)
            for object in inserted[start..<end] {
                rows.append((object, try storedValues(of: object, for: purpose, in: database, &outcome)))
            }
            do {
                for row in rows { try several?.writer.add(key: outcome.keys[row.object], row.values) }
            } catch let error as DatabaseError {
                several = nil
                // A full disk or an application's trigger may have ended the transaction; nothing may be
                // written outside it.
                guard database.isInsideTransaction else { throw error }
                // Inserting one by one identifies the row at fault. None of the rows exists now, unless a
                // trigger kept some by RAISE(FAIL).
                let deletion =
                    "DELETE FROM \(runtime.description.tableSQL) WHERE \(runtime.description.keySQL) = ?1"
                for row in rows {
                    try database.run(deletion, [outcome.keys[row.object].map(StoredValue.integer) ?? .null])
                    let key = outcome.keys[row.object]
                    try insertingWithDuplicates(row.object, for: purpose, in: database, &outcome) {
                        try insert(row.object, key: key, row.values, in: database)
                    }
                }
            }
            outcome.writtenRows += rows.count
            start = end
        }
    }

    /// Returns the values of a new object's row.
    func storedValues(
        of object: ManagedObject, for purpose: Purpose, in database: Database, _ outcome: inout Outcome
    ) throws -> [StoredValue] {
        var values = Self.resolvedValues(of: object, keys: outcome.keys)
        if purpose == .save, looksForDestinations {
            try settleDanglingSlots(ofNew: object, &values, in: database, &outcome)
        }
        if purpose == .save, object.runtime.hasExternalAttributes {
            try shorten(&values, slots: object.runtime.externalSlots, of: object, in: database, &outcome)
        }
        return values
    }

    /// Inserts one row.
    func insert(
        _ object: ManagedObject, key: Int64?, _ values: [StoredValue], in database: Database
    ) throws {
        let writer = try RowWriter(object.runtime.insertion, in: database)
        try naming(object) { try writer.add(key: key, values) }
    }
}
