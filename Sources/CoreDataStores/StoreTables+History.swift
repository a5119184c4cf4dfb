import ObjectStorage

extension StoreTables {
    /// Returns the persistent history of a store; nil if the store has none.
    ///
    /// Triggers that Core Data makes for derived attributes change rows of other entities, which the history
    /// need not list.
    ///
    /// - Parameters:
    ///   - entities: The entities of the model, with their tables and numbers.
    ///   - store: The store.
    /// - Throws: ``ObjectStorageError``.
    func history(
        of entities: [String: StoreMapping.Entity], in store: PreservedStore
    ) throws(ObjectStorageError) -> ChangeHistory? {
        guard let transactions = tables["ATRANSACTION"], let changes = tables["ACHANGE"],
            ["Z_PK", "ZTIMESTAMP"].allSatisfy({ transactions.columns[$0] != nil }),
            ["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"].allSatisfy({
                changes.columns[$0] != nil
            })
        else { return nil }
        let changedTables = try Self.triggerColumns(in: store)
        return ChangeHistory(
            lastTransactionSQL: "SELECT Z_PK, ZTIMESTAMP FROM main.ATRANSACTION ORDER BY Z_PK DESC LIMIT 1",
            transactionSQL: "SELECT ZTIMESTAMP FROM main.ATRANSACTION WHERE Z_PK = ?1",
            changesSQL:
                "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE FROM main.ACHANGE WHERE ZTRANSACTIONID > ?1 LIMIT ?2",
            entityNames: entities.reduce(into: [:]) { $0[$1.value.placement.number] = $1.key },
            unlistedEntityNames: Set(
                entities.filter { changedTables[$0.value.placement.table.name.uppercased()] != nil }.keys))
    }

    /// Returns the columns that triggers of a store write, in capital letters, by table.
    ///
    /// - Complexity: O(*n*) in the length of the triggers.
    static func triggerColumns(in store: PreservedStore) throws(ObjectStorageError) -> [String: Set<String>] {
        let rows = try store.rows("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'")
        var columns: [String: Set<String>] = [:]
        for case .text(let sql) in rows.map({ $0[0] }) {
            // Core Data writes `UPDATE ZBOOK SET ZPAGESCOUNT = …`, with one column in each statement.
            let words = sql.split { " \n\t;(),=\"".contains($0) }.map { $0.uppercased() }
            for position in words.indices.dropLast(3)
            where words[position] == "UPDATE" && words[position + 2] == "SET" {
                columns[words[position + 1], default: []].insert(words[position + 3])
            }
        }
        return columns
    }
}
