import SectionedFetch

/// The C libraries that a tool runs with. They belong to the system, and may differ from the versions that
/// the tool was built with.
package enum LibraryVersions {
    /// The version of the tools, that of the package.
    package static let tools = "0.1"

    private static var libraries: [(name: String, version: [Int], oldest: [Int])] {
        [
            ("SQLite", StoreLibrary.version, StoreLibrary.oldestVersion),
            ("LMDB", CacheLibrary.version, CacheLibrary.oldestVersion),
        ]
    }

    /// Returns the output of `--version`: the versions of a tool and of the libraries, one on each line.
    package static func text(of tool: String) -> String {
        (["\(tool) \(tools)"] + libraries.map { "\($0.name) \(text($0.version))" }).joined(separator: "\n")
    }

    /// Checks that each library has at least its oldest supported version.
    ///
    /// - Throws: ``ToolFailure`` for a library that is too old.
    static func check() throws(ToolFailure) {
        for library in libraries where library.version.lexicographicallyPrecedes(library.oldest) {
            throw ToolFailure(
                "\(library.name) \(text(library.version)) is too old: version \(text(library.oldest)) or later is required. Update the system's package."
            )
        }
    }

    private static func text(_ version: [Int]) -> String {
        version.map(String.init).joined(separator: ".")
    }
}
