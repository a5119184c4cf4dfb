import Foundation
import ObjectStorage

extension StoreTables {
    /// Returns the persistent history of a store; nil if the store has none.
    ///
    /// Triggers that Core Data makes for derived attributes change rows of other entities, which the history
    /// need not list. Each table that the statements of a trigger mention counts as one with such rows.
    ///
    /// - Parameters:
    ///   - entities: The entities of the model, with their tables and numbers.
    ///   - store: The store.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    func history(
        of entities: [String: StoreMapping.Entity], in store: PreservedStore
    ) throws(ObjectStorageError) -> ChangeHistory? {
        guard let transactions = tables["ATRANSACTION"], let changes = tables["ACHANGE"],
            ["Z_PK", "ZTIMESTAMP"].allSatisfy({ transactions.columns[$0] != nil }),
            ["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"].allSatisfy({
                changes.columns[$0] != nil
            })
        else { return nil }
        let mentioned = Set(try Self.triggerWords(in: store).joined())
        guard case .integer(let version)? = try store.rows("PRAGMA main.schema_version").first?.first,
            version == schemaVersion
        else { return nil }
        return ChangeHistory(
            schemaVersion: version,
            lastTransactionSQL: "SELECT Z_PK, ZTIMESTAMP FROM main.ATRANSACTION ORDER BY Z_PK DESC LIMIT 1",
            transactionSQL: "SELECT ZTIMESTAMP FROM main.ATRANSACTION WHERE Z_PK = ?1",
            changesSQL:
                "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE FROM main.ACHANGE WHERE ZTRANSACTIONID > ?1 LIMIT ?2",
            entityNames: entities.reduce(into: [:]) { $0[$1.value.placement.number] = $1.key },
            unlistedEntityNames: Set(
                entities.filter { mentioned.contains($0.value.placement.table.name.uppercased()) }.keys))
    }

    /// Returns the columns that triggers of a store write, in capital letters, by table.
    ///
    /// - Complexity: O(*n*) in the length of the triggers.
    static func triggerColumns(in store: PreservedStore) throws(ObjectStorageError) -> [String: Set<String>] {
        var columns: [String: Set<String>] = [:]
        for words in try triggerWords(in: store) {
            // Core Data writes `UPDATE ZBOOK SET ZPAGESCOUNT = …`, with one column in each statement.
            for position in words.indices.dropLast(3)
            where words[position] == "UPDATE" && words[position + 2] == "SET" {
                columns[words[position + 1], default: []].insert(words[position + 3])
            }
        }
        return columns
    }

    /// Returns the words of the statements that each trigger of a store runs, in capital letters.
    private static func triggerWords(in store: PreservedStore) throws(ObjectStorageError) -> [[String]] {
        let rows = try store.rows("SELECT upper(sql) FROM main.sqlite_schema WHERE type = 'trigger'")
        return rows.map { row in
            guard case .text(let sql) = row[0], let begin = sql.range(of: "BEGIN") else { return [] }
            return sql[begin.upperBound...].split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                .map(String.init)
        }
    }
}
