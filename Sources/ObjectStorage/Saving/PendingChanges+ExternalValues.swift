import GRDB

extension PendingChanges {
    /// Writes large values to their table, and replaces them in the row by their numbers.
    func shorten(
        _ values: inout [StoredValue], slots: [Int], of object: ManagedObject, in database: Database,
        _ outcome: inout Outcome
    ) throws {
        for slot in slots {
            let value = values[slot]
            values[slot] = try LargeValueTable.insert(value, in: database)
            guard case .integer(let number) = values[slot], values[slot] != value else { continue }
            outcome.externalValues[object, default: []].append(
                ExternalValue(slot: slot, number: number, value: value))
        }
    }

    /// Deletes large values that were written for a row and that the row does not contain.
    func forget(_ external: [ExternalValue], unlessIn row: [StoredValue], in database: Database) throws {
        for value in external where row.isEmpty || row[value.slot] != .integer(value.number) {
            try database.run("DELETE FROM main.sc_data WHERE id = ?1", [.integer(value.number)])
        }
    }

    /// Writes large values again that were deleted when another connection replaced them or deleted the row,
    /// if they are in memory; otherwise the store's current value is kept.
    ///
    /// - Parameters:
    ///   - row: The values that the save writes.
    ///   - slots: The slots that were assigned in the context.
    ///   - present: The row in the store; nil if it does not exist.
    func restoreExternalValues(
        in row: inout [StoredValue], of object: ManagedObject, except slots: [Int],
        present: [StoredValue]?, in database: Database, _ outcome: inout Outcome
    ) throws {
        for slot in object.runtime.externalSlots where !slots.contains(slot) {
            guard case .integer(let number) = row[slot],
                try LargeValueTable.value(number, in: database) == nil
            else { continue }
            let known = object.knownValue(inSlot: slot)
            guard !known.isNull else {
                row[slot] = present?[slot] ?? .null
                continue
            }
            row[slot] = known
            try shorten(&row, slots: [slot], of: object, in: database, &outcome)
        }
    }
}
