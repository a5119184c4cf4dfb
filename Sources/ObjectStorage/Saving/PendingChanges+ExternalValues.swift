import GRDB

extension PendingChanges {
    /// Writes large values where they are kept, and leaves their numbers.
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

    /// Deletes values that were written for a row which did not take them.
    func forget(_ external: [ExternalValue], unlessIn row: [StoredValue], in database: Database) throws {
        for value in external where row.isEmpty || row[value.slot] != .integer(value.number) {
            try database.run("DELETE FROM main.sc_data WHERE id = ?1", [.integer(value.number)])
        }
    }

    /// Writes values again that went when somebody else replaced them or deleted the row, as far as they are
    /// known here; where they are not, the store's present value stays.
    ///
    /// - Parameters:
    ///   - row: The values to be written.
    ///   - slots: Those that were assigned here.
    ///   - present: The row in the store; nil if there is none.
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
