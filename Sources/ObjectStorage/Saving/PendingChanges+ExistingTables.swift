import GRDB

extension PendingChanges {
    /// Reads back the rows that were written to external tables: a trigger may have changed them, and a
    /// column with another affinity stores another form.
    ///
    /// - Throws: ``ObjectStorageError`` for a new row that does not exist.
    func readBack(in database: Database, _ outcome: inout Outcome) throws {
        for object in inserted where object.entity.mapping != nil {
            guard let key = outcome.keys[object],
                let row = try Self.row(of: object, key: key, in: database)
            else {
                throw refusal(of: object, "it was not inserted, or was deleted or given another key at once")
            }
            outcome.rows[object] = .values(row)
        }
        for object in updated where object.entity.mapping != nil && outcome.rows[object]?.isGone != true {
            guard let key = object.rowKey else { continue }
            outcome.rows[object] =
                try Self.row(of: object, key: key, in: database).map { .values($0) } ?? .gone
        }
    }

    /// Throws an error if the row of a deleted object of an external table still exists.
    func checkDeletion(of object: ManagedObject, key: Int64, in database: Database) throws {
        guard object.entity.mapping != nil else { return }
        guard try Self.row(of: object, key: key, in: database) == nil else {
            throw refusal(of: object, "the row still exists after the DELETE")
        }
    }

    /// Returns the largest key in an entity's table that the changes refer to or write.
    ///
    /// The row with this key may have been deleted elsewhere. A new object with the same key would then be
    /// the destination of these references.
    func largestReference(to entity: EntityDescription) -> Int64 {
        var largest: Int64 = 0
        // Values that represent no object in some external tables, instead of NULL, do not count.
        func note(_ key: Int64?) {
            if let key, key < ObjectID.firstUnsavedKey { largest = max(largest, key) }
        }
        for object in [inserted, updated].joined() {
            // A row that was deleted elsewhere may be inserted again.
            if object.entity.tableName == entity.tableName { note(object.rowKey) }
            let first = object.entity.storedAttributes.count
            for (position, relationship) in object.entity.toOneRelationships.enumerated()
            where entity.sharesTable(withEntityNamed: relationship.destinationEntityName) {
                let slot = first + position
                guard case .integer(let key) = object.values[slot],
                    object.committedValues?[slot] != object.values[slot]
                else { continue }
                note(key)
            }
        }
        for changes in links {
            for pair in changes.added.all {
                for end in [pair.source, pair.target] where entity.tableName == end.entity.tableName {
                    note(end.rowKey)
                }
            }
        }
        return largest
    }

    private func refusal(of object: ManagedObject, _ what: String) -> ObjectStorageError {
        ObjectStorageError(
            .constraintViolation,
            "\(object.objectID): a trigger of the external table “\(object.entity.tableName)” rejected the change of the row: \(what). Nothing was saved.",
            entityName: object.entity.name, objectID: object.objectID)
    }
}

extension PendingChanges.Row {
    fileprivate var isGone: Bool { if case .gone = self { true } else { false } }
}
