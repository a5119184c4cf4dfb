import GRDB

/// Compiled statements of a connection that their owner keeps. The connection's own cache would grow with
/// each text.
final class OwnedStatements: StatementSource {
    private let database: Database
    private var statements: [String: Statement] = [:]

    init(of database: Database) { self.database = database }

    /// The SQLite connection.
    var connection: OpaquePointer? { database.sqliteConnection }

    /// Returns the compiled statement of an SQL text.
    func compiledStatement(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known.sqliteStatement }
        let statement = try database.makeStatement(sql: sql)
        statements[sql] = statement
        return statement.sqliteStatement
    }

    /// Releases all statements.
    func removeAll() { statements = [:] }
}
