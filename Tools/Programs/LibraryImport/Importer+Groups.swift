import SectionedFetch

extension Importer {
    /// Writes a row: as part of a group that one statement inserts, where that can be, or else by itself.
    func writeOrGroup(row: Int, of chunk: RowChunk, to tables: Tables) throws {
        guard tables.isGrouping else { return try writeOrSkip(row: row, of: chunk, to: tables) }
        tables.takeAttributes(of: chunk, at: row * tables.width)
        do throws(ObjectStorageError) {
            try tables.main.addToGroup(tables.row)
        } catch {
            // Problems are reported in the order of the file.
            try insertGroup(of: chunk, to: tables)
            return try skip(row: row, of: chunk, because: error)
        }
        tables.grouped.append(row)
        if tables.grouped.count == BatchTable.groupSize { try insertGroup(of: chunk, to: tables) }
    }

    /// Inserts the rows of the group, of which there may be fewer than it has room for, or none.
    func insertGroup(of chunk: RowChunk, to tables: Tables) throws {
        let rows = tables.grouped
        guard !rows.isEmpty else { return }
        tables.grouped.removeAll(keepingCapacity: true)
        if rows.count == BatchTable.groupSize {
            if try tables.main.insertGroup() {
                summary.inserted += rows.count
                return
            }
            // Where one row is refused there may be many, and each would cost its group a second time.
            tables.isGrouping = false
        }
        tables.main.forgetGroup()
        for row in rows { try writeOrSkip(row: row, of: chunk, to: tables) }
    }
}
