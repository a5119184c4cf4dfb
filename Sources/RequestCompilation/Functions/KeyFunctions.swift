package import GRDB
import GRDBSQLite
import ObjectModel

/// The SQL functions of keys, and the registration of all SQL functions of the library.
///
/// All are deterministic: equal arguments give the same value in every process. A function whose values
/// change needs a new version, because a cache may contain results of the old one.
package enum KeyFunctions {
    /// The version of the first-letter function. Increase it when the first letter of any text changes.
    package static let firstLetterVersion = 5
    /// The version of index letters and their order. Increase it when the index letter of any text or the
    /// order of two texts changes.
    package static let indexLetterVersion = 2
    /// The version of the functions of dates. Increase it when the year, the month or another unit of any
    /// time changes for a reason other than new time zone rules.
    package static let calendarVersion = 1

    /// Registers the functions and the collations with a connection, unless it already has them.
    ///
    /// - Complexity: O(1), and less than a microsecond if the connection has them.
    package static func installIfMissing(on database: Database) {
        do {
            // GRDB caches the statement.
            _ = try database.cachedStatement(sql: "SELECT sf_year(NULL, NULL)")
        } catch {
            install(on: database.sqliteConnection)
            TextCollations.install(on: database.sqliteConnection)
        }
    }

    /// Registers the functions with a connection.
    ///
    /// - Complexity: O(1), some microseconds.
    package static func install(on connection: OpaquePointer?) {
        let memory = Unmanaged.passRetained(KeyFunctionMemory()).toOpaque()
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        // Only the first registration owns the memory; SQLite releases it when the connection closes.
        sqlite3_create_function_v2(
            connection, "sf_first_letter", 3, flags, memory,
            { context, _, arguments in
                guard let context, let arguments, sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
                    let memory = KeyFunctions.memory(of: context)
                else { return sqlite3_result_null(context) }
                let alphabet = memory.alphabet(
                    locale: KeyFunctions.bytes(arguments[1]), style: KeyFunctions.bytes(arguments[2]))
                KeyFunctions.setResult(alphabet.letter(for: KeyFunctions.bytes(arguments[0])), context)
            }, nil, nil, { memory in memory.map { Unmanaged<KeyFunctionMemory>.fromOpaque($0).release() } })
        sqlite3_create_function_v2(
            connection, "sf_year", 2, flags, memory,
            { context, _, arguments in
                KeyFunctions.setNumber(of: .year, context, arguments)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_month", 2, flags, memory,
            { context, _, arguments in
                KeyFunctions.setNumber(of: .month, context, arguments)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_calendar", 3, flags, memory,
            { context, _, arguments in
                guard let unit = arguments.flatMap({ CalendarUnit(rawValue: sqlite3_value_int64($0[2])) })
                else { return sqlite3_result_null(context) }
                KeyFunctions.setNumber(of: unit, context, arguments)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_range", 3, flags, memory,
            { context, _, arguments in
                guard let context, let arguments, let memory = KeyFunctions.memory(of: context),
                    let ranges = memory.ranges(KeyFunctions.bytes(arguments[1]))
                else { return sqlite3_result_null(context) }
                var value = PredicateFunctions.value(arguments[0])
                if case .real(let number) = value, sqlite3_value_int(arguments[2]) != 0 {
                    // The shortest decimal form of a Float may differ from that of the equal Double.
                    value = .real(Double(Float(number).description) ?? number)
                }
                switch ranges.key(for: value) {
                case .integer(let key): sqlite3_result_int64(context, key)
                case .real(let key): sqlite3_result_double(context, key)
                default: sqlite3_result_null(context)
                }
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_localized", 2, flags, memory,
            { context, _, arguments in
                guard let context, let arguments, let memory = KeyFunctions.memory(of: context) else {
                    return
                }
                // Other values keep their position in the order of storage classes.
                guard sqlite3_value_type(arguments[0]) == SQLITE_TEXT else {
                    return sqlite3_result_value(context, arguments[0])
                }
                let order = memory.order(locale: KeyFunctions.bytes(arguments[1]))
                order.withKey(of: KeyFunctions.bytes(arguments[0])) { KeyFunctions.setResult($0, context) }
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_indexed", 2, flags, memory,
            { context, _, arguments in
                guard let context, let arguments, let memory = KeyFunctions.memory(of: context) else {
                    return
                }
                // Other values keep their position in the order of storage classes.
                guard sqlite3_value_type(arguments[0]) == SQLITE_TEXT else {
                    return sqlite3_result_value(context, arguments[0])
                }
                let key = memory.indexedKey(
                    of: KeyFunctions.bytes(arguments[0]), locale: KeyFunctions.bytes(arguments[1]))
                key.withUnsafeBytes { KeyFunctions.setResult($0, context) }
            }, nil, nil, nil)
        PredicateFunctions.install(on: connection)
        ColumnConversionFunction.install(on: connection)
        CombinedValue.install(on: connection)
        ListKeyFunction.install(on: connection)
        ComputedKeyFunction.install(on: connection)
    }

    /// SQLITE_TRANSIENT: SQLite copies the value.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private static func memory(of context: OpaquePointer) -> KeyFunctionMemory? {
        sqlite3_user_data(context).map { Unmanaged<KeyFunctionMemory>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func setNumber(
        of unit: CalendarUnit, _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let context, let arguments, let memory = memory(of: context),
            [SQLITE_FLOAT, SQLITE_INTEGER].contains(sqlite3_value_type(arguments[0])),
            let calendar = memory.calendar(timeZone: bytes(arguments[1])),
            let day = calendar.day(ofSeconds: sqlite3_value_double(arguments[0]))
        else { return sqlite3_result_null(context) }
        sqlite3_result_int64(context, unit.number(ofDay: day))
    }

    /// Returns the bytes of a text, valid until the SQL function returns.
    package static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// Returns the text of a value.
    package static func text(_ value: OpaquePointer?) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    /// Sets the result of an SQL function to a blob.
    package static func setResult(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer?) {
        sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), transient)
    }

    /// Sets the result of an SQL function to a text.
    package static func setResult(_ text: String, _ context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_result_text(context, characters.baseAddress, Int32(characters.count), transient)
            }
        }
    }
}
