package import GRDB
package import GRDBSQLite
import ObjectModel

/// The SQL functions of the library: computed keys here, and those of predicates.
///
/// All are deterministic: equal arguments give the same value in every process. A function whose values
/// change needs a new version, because a cache may contain results of the old one.
package enum KeyFunctions {
    /// The version of the first-letter function. Increase it when the first letter of any text changes.
    package static let firstLetterVersion = 3
    /// The version of the year and month functions. Increase it when the year or month of any time changes
    /// for a reason other than new time zone rules.
    package static let calendarVersion = 1

    /// The objects that the functions of one connection reuse between calls. SQLite calls them one at a time.
    private final class Memory {
        private var alphabets = ArgumentCache<Alphabet>()
        private var calendars = ArgumentCache<CivilCalendar?>()
        private var orders = ArgumentCache<LocalizedOrder>()

        func order(locale: UnsafeRawBufferPointer) -> LocalizedOrder {
            orders.value(for: locale) { locale, _ in LocalizedOrder.under(locale: locale) }
        }

        func alphabet(locale: UnsafeRawBufferPointer, diacritics: UnsafeRawBufferPointer) -> Alphabet {
            alphabets.value(for: locale, diacritics) { locale, diacritics in
                Alphabet(
                    locale: locale, diacritics: KeyExpression.Diacritics(rawValue: diacritics) ?? .together)
            }
        }

        func calendar(timeZone: UnsafeRawBufferPointer) -> CivilCalendar? {
            calendars.value(for: timeZone) { timeZone, _ in CivilCalendar(timeZone: timeZone) }
        }
    }

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
        let memory = Unmanaged.passRetained(Memory()).toOpaque()
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        // Only the first registration owns the memory; SQLite releases it when the connection closes.
        sqlite3_create_function_v2(
            connection, "sf_first_letter", 3, flags, memory,
            { context, _, arguments in
                guard let context, let arguments, sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
                    let memory = KeyFunctions.memory(of: context)
                else { return sqlite3_result_null(context) }
                let alphabet = memory.alphabet(
                    locale: KeyFunctions.bytes(arguments[1]), diacritics: KeyFunctions.bytes(arguments[2]))
                KeyFunctions.setResult(alphabet.letter(for: KeyFunctions.bytes(arguments[0])), context)
            }, nil, nil, { memory in memory.map { Unmanaged<Memory>.fromOpaque($0).release() } })
        sqlite3_create_function_v2(
            connection, "sf_year", 2, flags, memory,
            { context, _, arguments in
                guard let (year, _) = KeyFunctions.yearAndMonth(context, arguments) else {
                    return sqlite3_result_null(context)
                }
                sqlite3_result_int64(context, year)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "sf_month", 2, flags, memory,
            { context, _, arguments in
                guard let (year, month) = KeyFunctions.yearAndMonth(context, arguments) else {
                    return sqlite3_result_null(context)
                }
                sqlite3_result_int64(context, year * 100 + month)
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
                order.withKey(of: KeyFunctions.bytes(arguments[0])) { key in
                    sqlite3_result_blob64(context, key.baseAddress, UInt64(key.count), KeyFunctions.transient)
                }
            }, nil, nil, nil)
        PredicateFunctions.install(on: connection)
        ColumnConversionFunction.install(on: connection)
        ComputedKeyFunction.install(on: connection)
    }

    /// SQLITE_TRANSIENT: SQLite copies the value.
    package static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private static func memory(of context: OpaquePointer) -> Memory? {
        sqlite3_user_data(context).map { Unmanaged<Memory>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func yearAndMonth(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) -> (year: Int64, month: Int64)? {
        guard let context, let arguments, let memory = memory(of: context),
            [SQLITE_FLOAT, SQLITE_INTEGER].contains(sqlite3_value_type(arguments[0])),
            let calendar = memory.calendar(timeZone: bytes(arguments[1]))
        else { return nil }
        return calendar.yearAndMonth(ofSeconds: sqlite3_value_double(arguments[0]))
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
