import GRDBSQLite
import ObjectModel

/// The SQL function that makes the key of a row in a list of several entities from a key of an external
/// table, which may be any integer.
package enum ListKeyFunction {
    /// Registers the function `sf_list_key` with a connection.
    ///
    /// - Complexity: O(1), a microsecond.
    package static func install(on connection: OpaquePointer?) {
        sqlite3_create_function_v2(
            connection, "sf_list_key", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                let key = sqlite3_value_int64(arguments[0])
                guard sqlite3_value_type(arguments[0]) == SQLITE_INTEGER, EntityUnion.canList(key) else {
                    let message =
                        "rows in a list of several entities need integer keys between -2⁵⁵ and 2⁵⁵-1, and a row has the key \(KeyFunctions.text(arguments[0])). List its entity by itself."
                    return sqlite3_result_error(context, message, -1)
                }
                sqlite3_result_int64(context, key &+ sqlite3_value_int64(arguments[1]))
            }, nil, nil, nil)
    }
}
