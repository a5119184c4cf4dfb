import SectionedFetch

/// The C libraries that a tool runs with. They come with the system, and so may be other ones than those it
/// was built with.
enum LibraryVersions {
    private static var libraries: [(name: String, version: [Int], oldest: [Int])] {
        [
            ("SQLite", StoreLibrary.version, StoreLibrary.oldestVersion),
            ("LMDB", CacheLibrary.version, CacheLibrary.oldestVersion),
        ]
    }

    /// What `--version` prints.
    static var text: String { libraries.map { "\($0.name) \(text($0.version))" }.joined(separator: "\n") }

    /// - Throws: ``ToolFailure`` for a library that is too old.
    static func check() throws(ToolFailure) {
        for library in libraries where library.version.lexicographicallyPrecedes(library.oldest) {
            throw ToolFailure(
                "\(library.name) \(text(library.version)) is too old: version \(text(library.oldest)) is needed. Bring the system's package up to date."
            )
        }
    }

    private static func text(_ version: [Int]) -> String {
        version.map(String.init).joined(separator: ".")
    }
}
