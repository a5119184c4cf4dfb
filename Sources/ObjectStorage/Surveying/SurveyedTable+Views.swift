import GRDB

extension SurveyedTable {
    /// The reason and the remedy for a view without a column that can be a key.
    static let viewRefusal = (
        reason: "a view declares no key, and no column of it has a different integer in each row",
        remedy:
            "Add the key of a table to the columns of the view, list the tables that it reads, or copy its rows to a table."
    )

    /// Returns the column of a view that identifies its rows; nil without one.
    ///
    /// Columns that are named like keys come first.
    ///
    /// - Throws: `DatabaseError` if the view cannot be read.
    static func viewKey(
        of schema: SurveyedSchema.Table, _ contents: [String: ColumnContents], in source: any StatementSource
    ) throws -> Key? {
        func rank(_ name: String) -> Int {
            let name = name.lowercased()
            return ["id", "_id", "rowid", "objectid"].contains(name) ? 0 : name.hasSuffix("id") ? 1 : 2
        }
        let candidates = schema.columns.filter { column in
            guard let contents = contents[column.name] else { return false }
            guard contents.count + contents.nullCount > 0 else {
                return rank(column.name) < 2 || column.type.contains("INT")
            }
            return contents.integerCount > 0 && contents.integerCount == contents.count
                && contents.nullCount == 0
        }
        let names = (0...2).flatMap { wanted in candidates.map(\.name).filter { rank($0) == wanted } }
        return try ViewKeys.find(among: names, ofView: schema.sql, in: source).first.map {
            Key(columnName: $0, isImplicit: false, isAssigned: false)
        }
    }
}
