import SectionedFetch

extension Importer {
    /// Writes a row: as part of a group that one statement inserts if the tables allow it, or else by itself.
    func writeOrGroup(row: Int, of chunk: RowChunk, to tables: Tables) throws {
        guard tables.isGrouping else { return try writeOrSkip(row: row, of: chunk, to: tables) }
        tables.takeAttributes(of: chunk, at: row * tables.width)
        guard try takeRelationships(row: row, of: chunk, in: tables).isEmpty else {
            try insertGroup(of: chunk, to: tables)
            return try writeOrSkip(row: row, of: chunk, to: tables)
        }
        do throws(ObjectStorageError) {
            try tables.main.addToGroup(tables.row)
        } catch {
            // The group precedes this row; inserting it first keeps problems in the order of the file.
            try insertGroup(of: chunk, to: tables)
            return try skip(row: row, of: chunk, because: error)
        }
        tables.grouped.append(row)
        if tables.grouped.count == BatchTable.groupSize { try insertGroup(of: chunk, to: tables) }
    }

    /// Inserts the rows of the group, which may be full, partly filled or empty.
    func insertGroup(of chunk: RowChunk, to tables: Tables) throws {
        let rows = tables.grouped
        guard !rows.isEmpty else { return }
        tables.grouped.removeAll(keepingCapacity: true)
        if rows.count == BatchTable.groupSize {
            if try tables.main.insertGroup() {
                return noteInserted(rows, of: chunk)
            }
            // If one row is refused, others may follow, and each would cause its group to be written twice.
            tables.isGrouping = false
        }
        tables.main.forgetGroup()
        for row in rows { try writeOrSkip(row: row, of: chunk, to: tables) }
    }
}
