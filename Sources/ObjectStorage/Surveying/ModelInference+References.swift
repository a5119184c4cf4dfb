import GRDB
import ObjectModel

/// The columns that lead to rows of other tables.
extension ModelInference {
    /// Finds the references of all tables: those of foreign keys, then those that follow from names and
    /// values.
    ///
    /// - Throws: An error of the connection.
    mutating func findReferences(in source: any StatementSource) throws {
        for position in tables.indices
        where tables[position].refusalOfRows == nil && tables[position].schema.kind == .table {
            let table = tables[position]
            var references: [SurveyedTable.Reference] = []
            var notes: [String] = []
            for key in table.schema.foreignKeys {
                switch reference(of: key, in: table, besides: references) {
                case .success(let reference): references.append(reference)
                case .failure(let note): notes.append(note.text)
                }
            }
            let declared = Set(table.schema.foreignKeys.flatMap(\.columns).map { $0.lowercased() })
            for column in table.schema.columns where !declared.contains(column.name.lowercased()) {
                if let reference = try implicitReference(of: column, in: table, in: source) {
                    references.append(reference)
                }
            }
            tables[position].references = references
            tables[position].notes = notes
        }
    }

    /// A foreign key that is not a relationship, with the reason.
    private struct Note: Error { let text: String }

    private func reference(
        of key: SurveyedSchema.ForeignKey, in table: SurveyedTable, besides known: [SurveyedTable.Reference]
    ) -> Result<SurveyedTable.Reference, Note> {
        let names = key.columns.map { "“\($0)”" }.joined(separator: ", ")
        func refuse(_ reason: String) -> Result<SurveyedTable.Reference, Note> {
            .failure(Note(text: "The foreign key \(names) is no relationship: \(reason)."))
        }
        guard key.columns.count == 1, let name = key.columns.first else {
            return refuse("it has several columns")
        }
        guard let column = table.schema.column(named: name) else {
            return refuse("the column does not exist")
        }
        guard let other = schema.table(named: key.tableName), other.kind == .table else {
            return refuse("“\(key.tableName)” is not a table of the database")
        }
        guard let destination = self.table(named: other.name), let otherKey = destination.key else {
            return refuse("“\(other.name)” is no entity")
        }
        let keyColumns = other.keyColumns
        let target =
            key.destinations.first.flatMap { $0 } ?? (keyColumns.count == 1 ? keyColumns[0].name : "")
        guard target.lowercased() == otherKey.columnName.lowercased(), !otherKey.isImplicit else {
            let shown = otherKey.isImplicit ? "no declared key" : "the key “\(otherKey.columnName)”"
            return refuse(
                "it leads to the column “\(target)” of “\(other.name)”, whose objects have \(shown)")
        }
        guard column.name != table.key?.columnName else {
            return refuse("the column is also the key, whose value is the objectID")
        }
        guard !column.isGenerated else { return refuse("the column is generated") }
        guard !known.contains(where: { $0.columnName == column.name }) else {
            return refuse("another foreign key of the column is already a relationship")
        }
        guard let contents = table.contents[column.name], contents.count == contents.integerCount else {
            return refuse("the column has values that are not integers")
        }
        return .success(
            SurveyedTable.Reference(
                columnName: column.name, tableName: other.name, actionOnDelete: key.actionOnDelete))
    }

    /// Returns the reference of a column without a foreign key. The column is named after a row of a table,
    /// and each of its values is a key of that table.
    private func implicitReference(
        of column: SurveyedSchema.Column, in table: SurveyedTable, in source: any StatementSource
    ) throws -> SurveyedTable.Reference? {
        guard column.name != table.key?.columnName, !column.isGenerated,
            let contents = table.contents[column.name], contents.isIntegers,
            column.type.isEmpty || column.type.contains("INT") || column.type.contains("LONG")
        else { return nil }
        let base = SurveyedName.withoutKeyEnding(column.name) ?? column.name
        let names = SurveyedName.tableNames(forReference: base)
        // Tables of one program often have a common prefix, such as its name.
        let prefix = table.name.firstIndex(of: "_").map { table.name[...$0].lowercased() } ?? ""
        let isParent = base.lowercased() == "parent"
        let candidates = tables.filter { candidate in
            guard let key = candidate.key, !key.isImplicit, candidate.schema.kind == .table else {
                return false
            }
            let name = candidate.name.lowercased()
            return names.contains(name) || !prefix.isEmpty && names.contains { prefix + $0 == name }
                || isParent && candidate.name == table.name
        }
        guard candidates.count == 1, let key = candidates[0].key else { return nil }
        let columnSQL = column.name.columnIdentifier
        let lost = try source.rows(
            """
            SELECT 1 FROM (SELECT \(columnSQL) AS v FROM \(table.schema.sql) LIMIT ?1)
            WHERE v IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM \(candidates[0].schema.sql) AS d WHERE d.\(key.columnName.columnIdentifier) = v)
            LIMIT 1
            """, [.integer(Int64(examinedRowCount))])
        guard lost.isEmpty else { return nil }
        return SurveyedTable.Reference(
            columnName: column.name, tableName: candidates[0].name, actionOnDelete: nil)
    }
}
