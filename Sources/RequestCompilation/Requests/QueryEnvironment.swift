import GRDBSQLite

/// What an answer depends on besides data and request: the versions of the libraries that sort and compute.
package enum QueryEnvironment {
    /// The versions as text.
    ///
    /// - Parameter usesFoundation: Whether a locale's order, a first letter or a time zone is part of the
    ///   answer. Foundation's tables come with the Swift toolchain, which a program on Linux is always built
    ///   for, so its version stands for theirs.
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
