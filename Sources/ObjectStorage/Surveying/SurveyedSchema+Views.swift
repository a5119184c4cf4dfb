import GRDB
import ObjectModel

extension SurveyedSchema {
    /// Reads the columns of a view that may be read. A view that cannot be read gets a problem.
    static func readView(_ table: inout Table, in source: any StatementSource) {
        do {
            let rows = try source.rows("PRAGMA main.table_xinfo(\(table.name.quotedIdentifier))")
            for row in rows {
                guard case .text(let name) = row[1], case .text(let type) = row[2] else { continue }
                let column = Column(
                    name: name, declaredType: type, isRequired: false, keyPosition: 0, isGenerated: false,
                    defaultSQL: nil)
                if table.columns.contains(where: { $0.name == name }) {
                    table.ambiguousColumns.append(column)
                } else {
                    table.columns.append(column)
                }
            }
            // A virtual table runs code of its module over data of the file.
            let steps = try source.rows("EXPLAIN SELECT * FROM \(table.sql)")
            if steps.contains(where: { $0[1] == .text("VOpen") }) {
                table.problem = "it reads a virtual table or a table-valued function"
            }
        } catch {
            table.problem =
                ObjectStorageError(error, while: "Reading the view “\(table.name)”").messageAsReason
        }
    }
}
