/// Rows that stay when an import is undone.
struct KeptRows: Equatable {
    /// The primary keys, by the names of tables.
    private var keys: [String: Set<Int64>] = [:]

    /// Whether no row stays.
    var isEmpty: Bool { keys.isEmpty }

    /// Adds a row of a table, and returns whether it is new.
    @discardableResult
    mutating func insert(_ key: Int64, ofTable name: String) -> Bool {
        keys[name, default: []].insert(key).inserted
    }

    /// Returns whether a row of a table stays.
    func contains(_ key: Int64, ofTable name: String) -> Bool {
        keys[name]?.contains(key) ?? false
    }
}
