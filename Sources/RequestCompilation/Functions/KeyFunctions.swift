import GRDB
import GRDBSQLite

/// The functions that our SQL uses beside SQLite's own: computed keys here, and those of predicates.
///
/// All are deterministic: the same arguments give the same value, in every process. One that changed would
/// need a new version, because results computed with the old one may be in a cache.
enum KeyFunctions {
    /// Rises when the first letter of some text changes.
    static let firstLetterVersion = 3
    /// Rises when the year or month of some moment changes other than by new time zone rules.
    static let calendarVersion = 1

    /// What the functions of one connection remember between calls. SQLite calls them one at a time.
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

    /// Registers the functions, and the collations, with a connection that may have them already.
    ///
    /// - Complexity: O(1), and less than a microsecond if it has them.
    static func installIfMissing(on database: Database) {
        do {
            // GRDB keeps the statement.
            _ = try database.cachedStatement(sql: "SELECT sf_year(NULL, NULL)")
        } catch {
            install(on: database.sqliteConnection)
            TextCollations.install(on: database.sqliteConnection)
        }
    }

    /// Registers the functions with a connection.
    ///
    /// - Complexity: O(1), some microseconds.
    static func install(on connection: OpaquePointer?) {
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
                // Anything but text keeps its place among the classes of values.
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
    static var transient: sqlite3_destructor_type {
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

    /// The bytes of a text, valid until the function returns.
    static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// The text of a value.
    static func text(_ value: OpaquePointer?) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    /// Makes a text the result of a function.
    static func setResult(_ text: String, _ context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_result_text(context, characters.baseAddress, Int32(characters.count), transient)
            }
        }
    }
}
