import GRDBSQLite
import ObjectModel

/// The versions of the libraries that sort and compute, on which a result depends besides data and request.
package enum QueryEnvironment {
    /// Returns the versions as text.
    ///
    /// - Parameter usesFoundation: Whether the result depends on a locale's order, a first letter or a time
    ///   zone. Foundation's tables are part of the Swift toolchain with which every program on Linux is
    ///   built, so its version identifies them.
    package static func description(usesFoundation: Bool) -> String {
        let sqlite = "SQLite \(String(cString: sqlite3_libversion()))"
        return usesFoundation ? "\(sqlite), \(toolchain)" : sqlite
    }

    #if compiler(>=6.5)
    private static let toolchain = "Swift 6.5 or later"
    #elseif compiler(>=6.4)
    private static let toolchain = "Swift 6.4"
    #elseif compiler(>=6.3.1)
    private static let toolchain = "Swift 6.3.1 or later"
    #elseif compiler(>=6.3)
    private static let toolchain = "Swift 6.3"
    #else
    private static let toolchain = "Swift 6.2"
    #endif
}
