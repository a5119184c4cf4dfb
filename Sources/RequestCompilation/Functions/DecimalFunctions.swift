import Foundation
import GRDBSQLite
import ObjectModel

/// The SQL functions for exact decimals in requests.
package enum DecimalFunctions {
    /// Registers the functions with a connection.
    ///
    /// - Complexity: O(1), some microseconds.
    package static func install(on connection: OpaquePointer?) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        sqlite3_create_function_v2(
            connection, "sf_decimal", 1, flags, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                guard case .blob(let key) = DecimalNumber.comparable(PredicateFunctions.value(arguments[0]))
                else {
                    // A blob is not a number, and NULL stays NULL.
                    guard sqlite3_value_type(arguments[0]) == SQLITE_BLOB else { return }
                    return sqlite3_result_zeroblob(context, 1)
                }
                key.withUnsafeBytes { KeyFunctions.setResult($0, context) }
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_decimal_sum", 1, flags, nil, nil, { DecimalFunctions.add($0, $2) },
            { DecimalFunctions.finish($0, needsSum: true) { $0.sum } }, nil)
        sqlite3_create_function_v2(
            connection, "sf_decimal_min", 1, flags, nil, nil, { DecimalFunctions.add($0, $2) },
            { DecimalFunctions.finish($0) { $0.least } }, nil)
        sqlite3_create_function_v2(
            connection, "sf_decimal_max", 1, flags, nil, nil, { DecimalFunctions.add($0, $2) },
            { DecimalFunctions.finish($0) { $0.greatest } }, nil)
    }

    /// The sum, minimum and maximum of the decimals of some rows.
    private final class Accumulator {
        private var total = Decimal(0)
        /// Whether all decimals were added without rounding.
        private(set) var isExact = true
        private(set) var least: DecimalNumber?
        private(set) var greatest: DecimalNumber?

        /// The sum; nil if there were no decimals.
        var sum: DecimalNumber? { least == nil ? nil : DecimalNumber(total.description) }

        func add(_ number: DecimalNumber) {
            least = least.map { min($0, number) } ?? number
            greatest = greatest.map { max($0, number) } ?? number
            guard var second = number.decimal else {
                isExact = false
                return
            }
            var first = total
            if NSDecimalAdd(&total, &first, &second, .plain) != .noError { isExact = false }
        }
    }

    private static func add(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let arguments,
            let number = DecimalNumber(PredicateFunctions.value(arguments[0]))
        else { return }
        AggregateState.current(of: context, make: Accumulator.init)?.add(number)
    }

    private static func finish(
        _ context: OpaquePointer?, needsSum: Bool = false, _ result: (Accumulator) -> DecimalNumber?
    ) {
        guard let context, let accumulator = AggregateState.take(Accumulator.self, of: context) else {
            return
        }
        guard accumulator.isExact || !needsSum else {
            return sqlite3_result_error(
                context, "the sum of the decimals has more than 38 digits", -1)
        }
        if let number = result(accumulator) { KeyFunctions.setResult(number.canonicalText, context) }
    }
}
