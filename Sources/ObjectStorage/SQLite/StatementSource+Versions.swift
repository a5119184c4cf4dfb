extension StatementSource {
    /// Returns SQLite's count of schema changes. Source: `PRAGMA schema_version`, sqlite.org/pragma.html.
    func schemaVersionValue() throws -> StoredValue {
        try rows("PRAGMA main.schema_version").first?.first ?? .null
    }

    /// Returns a value that changes when another connection commits. Source: `PRAGMA data_version`,
    /// sqlite.org/pragma.html.
    func dataVersionValue() throws -> StoredValue {
        try rows("PRAGMA main.data_version").first?.first ?? .null
    }
}
