import GRDBSQLite

/// The C library that stores rely on.
package enum StoreLibrary {
    /// The version of SQLite that this process runs with: three numbers.
    package static var version: [Int] {
        let number = Int(sqlite3_libversion_number())
        return [number / 1_000_000, number / 1_000 % 1_000, number % 1_000]
    }

    /// The oldest version that has all that is called.
    package static let oldestVersion = [3, 34, 0]
}
