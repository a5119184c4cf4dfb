import GRDBSQLite
import ObjectModel

/// The SQL functions of predicates. Each only reads its arguments and calls the code that also evaluates
/// predicates in memory.
package enum PredicateFunctions {
    /// The extended result code for a regular expression that exceeded the limit of steps: one that SQLite
    /// does not use.
    package static let matchingTooLong = SQLITE_ERROR | 200 << 8

    /// Registers the functions with a connection.
    ///
    /// - Complexity: O(1), some microseconds.
    package static func install(on connection: OpaquePointer?) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let memory = Unmanaged.passRetained(TextMatching.Memory()).toOpaque()
        // Only the first registration owns the memory; SQLite releases it when the connection closes.
        sqlite3_create_function_v2(
            connection, "sf_matches", 3, flags, memory, { PredicateFunctions.search(.matches, $0, $1, $2) },
            nil, nil,
            { memory in memory.map { Unmanaged<TextMatching.Memory>.fromOpaque($0).release() } })
        sqlite3_create_function_v2(
            connection, "sf_like", 2, flags, memory, { PredicateFunctions.search(.like, $0, $1, $2) }, nil,
            nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_ends_with", 2, flags, memory,
            { PredicateFunctions.search(.endsWith, $0, $1, $2) }, nil,
            nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_fold", 2, flags, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                // Other values keep their position in the order of storage classes.
                guard sqlite3_value_type(arguments[0]) == SQLITE_TEXT else {
                    return sqlite3_result_value(context, arguments[0])
                }
                let options = PredicateTree.TextOptions(
                    rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(arguments[1])))
                KeyFunctions.setResult(TextFolding.fold(KeyFunctions.text(arguments[0]), options), context)
            }, nil, nil, nil)
        DecimalFunctions.install(on: connection)
        ConstantList.install(on: connection)
        sqlite3_create_function_v2(
            connection, "sf_lowercase", 1, flags, nil, { PredicateFunctions.compute(.lowercase, $0, $2) },
            nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_uppercase", 1, flags, nil, { PredicateFunctions.compute(.uppercase, $0, $2) },
            nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_abs", 1, flags, nil, { PredicateFunctions.compute(.absolute, $0, $2) }, nil, nil,
            nil)
        sqlite3_create_function_v2(
            connection, "sf_number", 1, flags, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                if [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_value_type(arguments[0])) {
                    sqlite3_result_value(context, arguments[0])
                }
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_sum", 1, flags, nil, nil, { PredicateFunctions.add($0, $2) },
            { PredicateFunctions.finish($0) { $0.sum } }, nil)
        sqlite3_create_function_v2(
            connection, "sf_average", 1, flags, nil, nil, { PredicateFunctions.add($0, $2) },
            { PredicateFunctions.finish($0) { $0.mean } }, nil)
    }

    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private static func search(
        _ relation: PredicateTree.Relation, _ context: OpaquePointer?, _ count: Int32, _ arguments: Arguments?
    ) {
        guard let context, let arguments, let data = sqlite3_user_data(context),
            sqlite3_value_type(arguments[0]) == SQLITE_TEXT, sqlite3_value_type(arguments[1]) == SQLITE_TEXT
        else { return }
        let memory = Unmanaged<TextMatching.Memory>.fromOpaque(data).takeUnretainedValue()
        let bits = count > 2 ? UInt8(truncatingIfNeeded: sqlite3_value_int(arguments[2])) : 0
        do {
            let isMatch = try TextMatching.matches(
                KeyFunctions.bytes(arguments[0]), relation, KeyFunctions.bytes(arguments[1]),
                options: PredicateTree.TextOptions(rawValue: bits), memory: memory)
            sqlite3_result_int(context, isMatch ? 1 : 0)
        } catch {
            sqlite3_result_error(context, error.message, -1)
            sqlite3_result_error_code(context, matchingTooLong)
        }
    }

    private static func compute(
        _ function: PredicateExpression.Function, _ context: OpaquePointer?, _ arguments: Arguments?
    ) {
        guard let context, let arguments else { return }
        setResult(function.value(of: value(arguments[0])), context)
    }

    private final class Accumulator {
        var sum = NumberSum()
    }

    private static func add(_ context: OpaquePointer?, _ arguments: Arguments?) {
        guard let context, let arguments else { return }
        AggregateState.current(of: context, make: Accumulator.init)?.sum.add(value(arguments[0]))
    }

    private static func finish(_ context: OpaquePointer?, _ result: (NumberSum) -> StoredValue) {
        guard let context else { return }
        let sum = AggregateState.take(Accumulator.self, of: context)?.sum ?? NumberSum()
        setResult(result(sum), context)
    }

    /// Returns the value of an argument; null for a blob.
    static func value(_ value: OpaquePointer?) -> StoredValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .real(sqlite3_value_double(value))
        case SQLITE_TEXT: .text(KeyFunctions.text(value))
        // None of the functions operates on blobs.
        default: .null
        }
    }

    private static func setResult(_ value: StoredValue, _ context: OpaquePointer) {
        switch value {
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let value): KeyFunctions.setResult(value, context)
        case .null, .blob: sqlite3_result_null(context)
        }
    }
}
