import ObjectStorage

/// The states of tables before and after consecutive transactions.
struct TableTransitions {
    private var tables: [TableTransition] = []
    /// The tables whose transactions did not follow each other: another transaction was in between, or they
    /// were announced in another order.
    private var interrupted: Set<String> = []

    /// Adds a transaction.
    mutating func append(_ later: [TableTransition]) {
        for table in later {
            guard let index = tables.firstIndex(where: { $0.tableName == table.tableName }) else {
                tables.append(table)
                continue
            }
            if let after = tables[index].after, after == table.before {
                tables[index].after = table.after
            } else {
                interrupted.insert(table.tableName)
            }
        }
    }

    /// Returns these transactions and later ones.
    func followed(by later: Self) -> Self {
        var all = self
        all.append(later.tables)
        all.interrupted.formUnion(later.interrupted)
        return all
    }

    /// Returns whether these are all transactions between two states of the tables.
    func lead(from old: [StoreState.Table], to new: [StoreState.Table]) -> Bool {
        old.passing(tables) == new
            && old.allSatisfy { !interrupted.contains($0.tableName) }
    }
}
