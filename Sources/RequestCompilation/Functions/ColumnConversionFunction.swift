import GRDBSQLite
import ObjectModel

/// The SQL function that converts a column of an external table, in the same way as rows are converted in
/// memory.
package enum ColumnConversionFunction {
    /// Registers the function with a connection.
    ///
    /// - Complexity: O(1), a microsecond.
    package static func install(on connection: OpaquePointer?) {
        sqlite3_create_function_v2(
            connection, "sf_form", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                let column = PredicateFunctions.value(arguments[0])
                let form = ExistingTable.Form(rawValue: KeyFunctions.text(arguments[1]))
                switch form?.value(ofColumn: column) ?? column {
                case .real(let value): sqlite3_result_double(context, value)
                case .blob(let bytes):
                    bytes.withUnsafeBytes { KeyFunctions.setResult($0, context) }
                case .text(let text) where sqlite3_value_type(arguments[0]) != SQLITE_TEXT:
                    KeyFunctions.setResult(text, context)
                // The form is unknown, or the value is unchanged.
                default: sqlite3_result_value(context, arguments[0])
                }
            }, nil, nil, nil)
    }
}
