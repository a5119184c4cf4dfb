import GRDBSQLite

/// The C library that stores use.
package enum StoreLibrary {
    /// The version of SQLite in this process: three numbers.
    package static var version: [Int] {
        let number = Int(sqlite3_libversion_number())
        return [number / 1_000_000, number / 1_000 % 1_000, number % 1_000]
    }

    /// The oldest version with all functions that the library calls.
    package static let oldestVersion = [3, 34, 0]
}
