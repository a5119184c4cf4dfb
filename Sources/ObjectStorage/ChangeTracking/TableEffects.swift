import GRDB

/// The dependencies between tables of an application's database: by foreign keys, and by triggers of other
/// programs. Valid while SQLite's schema version is unchanged.
struct TableEffects: Sendable {
    /// The schema version.
    let version: StoredValue
    /// The tables with triggers of other programs.
    private let triggered: Set<String>
    /// For each table, the tables whose rows change with its rows because of foreign keys.
    private let dependents: [String: Set<String>]

    /// Reads the schema.
    ///
    /// - Parameter triggerNames: The library's triggers with names other than the usual ones.
    /// - Complexity: O(*n*) in the number of tables and triggers.
    init(version: StoredValue, ownTriggers triggerNames: Set<String>, in database: Database) throws {
        self.version = version
        let triggers = try database.rows(
            "SELECT name, tbl_name FROM main.sqlite_schema WHERE type = 'trigger'")
        triggered = Set(
            triggers.compactMap { row in
                guard case .text(let name) = row[0], case .text(let tableName) = row[1],
                    !triggerNames.contains(name), !StoreSchema.triggerNames(tableName).contains(name)
                else { return nil }
                return tableName.lowercased()
            })
        let references = try database.rows(
            """
            SELECT t.name, f."table" FROM main.sqlite_schema t, pragma_foreign_key_list(t.name) f
            WHERE t.type = 'table'
                AND (f.on_delete NOT IN ('NO ACTION', 'RESTRICT')
                    OR f.on_update NOT IN ('NO ACTION', 'RESTRICT'))
            """)
        dependents = references.reduce(into: [:]) { dependents, row in
            guard case .text(let child) = row[0], case .text(let parent) = row[1] else { return }
            dependents[parent.lowercased(), default: []].insert(child.lowercased())
        }
    }

    /// Returns the tables that may have changed together with the given ones; nil if any table may have.
    ///
    /// - Parameters:
    ///   - changed: The tables that are known to have changed.
    ///   - unchanged: The tables that are known not to have changed.
    func tables(changedWith changed: [String], unchanged: Set<String>) -> [String]? {
        let unchanged = Set(unchanged.map { $0.lowercased() })
        var found: Set<String> = []
        var waiting = changed.map { $0.lowercased() }
        while let name = waiting.popLast() {
            guard found.insert(name).inserted else { continue }
            if triggered.contains(name) { return nil }
            waiting += dependents[name, default: []].subtracting(unchanged)
        }
        return found.sorted()
    }
}
