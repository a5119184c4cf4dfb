import GRDB
import ObjectModel

/// A table of a surveyed database with its key, its contents and its references.
struct SurveyedTable {
    /// The key of the objects.
    struct Key {
        let columnName: String
        /// Whether the key is a row ID that no column declares.
        let isImplicit: Bool
        /// Whether SQLite assigns the key of a row that is inserted without one.
        let isAssigned: Bool
    }

    /// A column that leads to the rows of another table.
    struct Reference {
        let columnName: String
        let tableName: String
        /// The foreign key's action on deletion; nil without a foreign key.
        let actionOnDelete: String?
    }

    let schema: SurveyedSchema.Table
    private(set) var key: Key?
    /// The reason and the remedy if the table cannot be an entity.
    private(set) var refusal: (reason: String, remedy: String)?
    /// The reason why the table can be neither an entity nor a table of pairs; nil if it may be the latter.
    private(set) var refusalOfRows: String?
    /// Whether the table is refused because reading its rows failed.
    private(set) var isUnreadable = false
    /// The contents of the columns by name, without those that could not be read.
    private(set) var contents: [String: ColumnContents] = [:]
    /// The reasons why columns could not be read, by name.
    private(set) var columnProblems: [String: String] = [:]
    private(set) var examinedRowCount = 0
    private(set) var hasMoreRows = false
    var references: [Reference] = []
    var notes: [String] = []

    var name: String { schema.name }
    var keyName: String { key?.columnName ?? "" }

    /// Chooses the key of a table and examines its rows.
    init(
        _ schema: SurveyedSchema.Table, purpose: DatabaseSurvey.Purpose, examinedRowCount: Int,
        in source: any StatementSource
    ) {
        self.schema = schema
        do {
            try examine(examinedRowCount, in: source)
            if schema.kind == .view {
                key = try Self.viewKey(of: schema, contents, in: source)
                if key == nil { refusal = Self.viewRefusal }
            } else {
                try chooseKey(purpose, in: source)
            }
        } catch {
            isUnreadable = true
            let isView = schema.kind == .view
            if let error = error as? DatabaseError, Self.isLimit(error) {
                refuse(
                    reason: "reading its rows exceeds a limit: \(error.message ?? "unknown")",
                    remedy: isView
                        ? "Raise the limit if the file is trusted, or list the tables that the view reads."
                        : "Raise the limit if the file is trusted, or use its other tables.")
                return
            }
            let failure = ObjectStorageError(error, while: "Reading the rows")
            refuse(
                reason: "its rows cannot be read (\(failure.messageAsReason))",
                remedy: isView
                    ? "List the tables that it reads." : "Restore the database, or use its other tables.")
        }
    }

    /// Refuses the table for a reason that was found later.
    mutating func refuse(reason: String, remedy: String) {
        refusal = (reason, remedy)
        refusalOfRows = reason
        key = nil
    }

    private mutating func chooseKey(_ purpose: DatabaseSurvey.Purpose, in source: any StatementSource) throws
    {
        let keyColumns = schema.keyColumns
        if keyColumns.count == 1, keyColumns[0].type == "INTEGER",
            !schema.uniqueIndexes.contains(where: \.isPrimaryKey)
        {
            key = Key(columnName: keyColumns[0].name, isImplicit: false, isAssigned: true)
            return
        }
        for index in schema.uniqueIndexes where index.columns.count == 1 {
            guard let column = schema.column(named: index.columns[0]), column.type.contains("INT"),
                column.isRequired, !column.isGenerated
            else { continue }
            let largest = try source.rows(
                "SELECT typeof(max(\(column.name.columnIdentifier))) FROM \(schema.sql)")
            guard [[.text("integer")], [.text("null")]].contains(largest.first),
                contents[column.name]?.textCount == 0, contents[column.name]?.blobCount == 0,
                contents[column.name]?.realCount == 0
            else { continue }
            key = Key(columnName: column.name, isImplicit: false, isAssigned: false)
            return
        }
        if purpose == .reading, let name = schema.rowIDName {
            key = Key(columnName: name, isImplicit: true, isAssigned: true)
            return
        }
        refusal = keyRefusal
    }

    /// The reason why the table has no usable key, and the remedy.
    private var keyRefusal: (reason: String, remedy: String) {
        let copy =
            "Add a unique integer column that is NOT NULL, or copy the rows to a table with an INTEGER PRIMARY KEY."
        let keyColumns = schema.keyColumns
        let isReadable = schema.rowIDName != nil
        let reading = isReadable ? " A container that is read-only and untracked can read it." : ""
        if keyColumns.isEmpty {
            return (
                "it declares no key, and VACUUM may renumber such rows", copy + reading
            )
        }
        let names = keyColumns.map { "“\($0.name)”" }.joined(separator: ", ")
        if keyColumns.count > 1 {
            return (
                "its key consists of the columns \(names), and the key of an object is one integer",
                copy + reading
            )
        }
        let type = keyColumns[0].declaredType
        return (
            "its key \(names) is \(type.isEmpty ? "declared without a type" : "of type \(type)"), and keys of objects are integers that are declared as such and NOT NULL",
            copy + reading
        )
    }

    private static let columnsOfStatement = 100

    private mutating func examine(_ limit: Int, in source: any StatementSource) throws {
        let names = schema.columns.map(\.name)
        for start in stride(from: 0, to: names.count, by: Self.columnsOfStatement) {
            let part = Array(names[start..<min(start + Self.columnsOfStatement, names.count)])
            do {
                try examine(part, limit, in: source)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR && names.count > 1 {
                // A generated column whose expression fails must not affect the other columns.
                for name in part {
                    do {
                        try examine([name], limit, in: source)
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                        columnProblems[name] = error.message ?? "SQLite cannot read it"
                    }
                }
            }
        }
    }

    private mutating func examine(_ names: [String], _ limit: Int, in source: any StatementSource) throws {
        let columns = names.map(ColumnContents.expression).joined(separator: ", ")
        let statement = try SQLiteStatement("SELECT \(columns) FROM \(schema.sql) LIMIT ?1", in: source)
        try statement.bind(Int64(limit) + 1, at: 1)
        let (found, rows) = try statement.use { statement in
            var found = names.map { _ in ColumnContents() }
            var rows = 0
            while try step(statement, hasRows: rows > 0) {
                rows += 1
                if rows > limit { break }
                for position in names.indices { found[position].note(statement, position) }
            }
            return (found, rows)
        }
        if rows > limit { hasMoreRows = true }
        examinedRowCount = max(examinedRowCount, min(rows, limit))
        for (name, contents) in zip(names, found) { self.contents[name] = contents }
    }

    /// Returns whether a statement ended because it exceeded a limit.
    private static func isLimit(_ error: DatabaseError) -> Bool {
        [.SQLITE_INTERRUPT, .SQLITE_TOOBIG].contains(error.resultCode)
    }

    /// Reads the next row of the table. A statement that exceeds a limit ends there if it has returned rows,
    /// which show the contents of the columns.
    private mutating func step(_ statement: SQLiteStatement, hasRows: Bool) throws -> Bool {
        do {
            return try statement.step()
        } catch let error as DatabaseError where hasRows && Self.isLimit(error) {
            hasMoreRows = true
            return false
        }
    }
}
