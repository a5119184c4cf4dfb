/// Which module may import which, as a picture of the most important and as a table of all.
///
/// ```
///    LibraryImport   LibraryBrowser   ColdStartBenchmark      CacheInspector
///         └─────────────┬────────────────┘                          │
///                       ▼                                           │
///                SectionedFetch                                     │
///                 │          │                                      │
///                 ▼          ▼                                      ▼
///         ObjectStorage   SectionCaching  ◄─────────────────────────┘
///                 │          │
///                 ▼          ▼
///               GRDB        LMDB  ──►  CLMDB
/// ```
enum ImportRules {
    /// For every Swift module of the package, the modules of the package and of its dependencies that it may
    /// import. `ColdStartFloor` is in C and is not listed.
    static let allowed: [String: Set<String>] = [
        // Mistakes to be planted in debug builds.
        "SeededBugs": [],
        // Where a condition begins to hold, and what ascends.
        "Searching": [],
        // Threads that may not be had.
        "Threading": [],
        // The cache column.
        "LMDB": ["CLMDB", "SeededBugs"],
        "SectionCaching": ["LMDB", "Searching", "SeededBugs", "Threading", "Crypto"],
        // The object column.
        "ObjectStorage": [
            "CSQLiteSettings", "Searching", "SeededBugs", "Threading", "GRDB", "GRDBSQLite", "Crypto",
            "_FoundationICU",
        ],
        // Reads models from Apple's files, for programs that have such.
        "ModelReading": ["ObjectStorage", "FoundationXML"],
        // Where the two columns meet.
        "SectionedFetch": ["ObjectStorage", "SectionCaching", "Searching", "SeededBugs"],
        // What the programs share.
        "RecordReading": ["SeededBugs"],
        "CatalogueGenerator": [],
        "ToolSupport": ["SectionedFetch", "ArgumentParser"],
        "TerminalTable": ["SectionedFetch", "Searching", "ToolSupport"],
        // The programs.
        "LibraryImport": [
            "SectionedFetch", "RecordReading", "CatalogueGenerator", "ToolSupport", "Threading",
            "ArgumentParser",
        ],
        "LibraryBrowser": ["SectionedFetch", "ToolSupport", "TerminalTable", "ArgumentParser"],
        "CacheInspector": ["SectionedFetch", "SectionCaching", "ToolSupport", "ArgumentParser"],
        "BenchmarkSupport": [],
        "EditBenchmark": ["SectionCaching", "LMDB", "BenchmarkSupport", "ArgumentParser"],
        "ColdStartBenchmark": ["BenchmarkSupport", "ArgumentParser"],
        // Compares the product with what is worked out without it, and is another program that writes.
        "ChangeReplay": [
            "SectionedFetch", "SeededBugs", "ToolSupport", "TestSupport", "GRDB", "ArgumentParser",
        ],
        // Goes behind the product's back wherever something can go wrong.
        "FaultPrograms": [
            "SectionedFetch", "ObjectStorage", "SectionCaching", "LMDB", "CLMDB", "SeededBugs",
            "RecordReading",
            "ToolSupport",
            "TestSupport", "Fuzzing", "BenchmarkSupport", "GRDB", "GRDBSQLite", "ArgumentParser",
        ],
        "Fuzzing": ["ObjectStorage", "SectionCaching", "LMDB", "RecordReading", "TestSupport"],
        "FuzzTargets": ["Fuzzing", "ToolSupport", "TestSupport", "ArgumentParser"],
        // Measure the product beside what people would write without it, so they know GRDB as well.
        "ColdStartSample": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "GRDBSQLite",
        ],
        "ObjectBenchmark": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "ArgumentParser",
        ],
        "ChangeBenchmark": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "GRDBSQLite",
            "ArgumentParser",
        ],
    ]

    /// What comes with Swift and the system. Any module may import it.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl", "Android",
        "Darwin", "WinSDK",
    ]

    /// The module that a file belongs to: the directory below Sources or Tools.
    static func module(ofFileAt path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The imports in a file that the table does not allow.
    static func findings(in file: Repository.File) -> [Finding] {
        let module = module(ofFileAt: file.path)
        guard let allowed = allowed[module] else {
            return [Finding(path: file.path, line: 1, message: "\(module) is not in the table of modules")]
        }
        return imports(in: SourceText(file.text)).compactMap { line, imported in
            guard !allowed.contains(imported), !system.contains(imported) else { return nil }
            return Finding(
                path: file.path, line: line, message: "\(module) must not import \(imported)")
        }
    }

    /// The line and the module of each import declaration.
    static func imports(in source: SourceText) -> [(line: Int, module: String)] {
        var imports: [(Int, String)] = []
        let kinds: Set<Substring> = [
            "typealias", "struct", "class", "enum", "protocol", "let", "var", "func", "actor",
        ]
        for (position, line) in source.codeLines.enumerated() {
            // A line can hold several declarations, and `canImport(X)` is not one of them.
            for statement in line.split(separator: ";") {
                let words = statement.split { $0 == " " || $0 == "\t" || $0 == "\r" }
                guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.endIndex,
                    words[..<keyword].allSatisfy(isModifier)
                else { continue }
                var named = words[keyword + 1]
                if kinds.contains(named), keyword + 2 < words.endIndex {
                    named = words[keyword + 2]
                }
                imports.append((position + 1, String(named.prefix { $0 != "." })))
            }
        }
        return imports
    }

    private static func isModifier(_ word: Substring) -> Bool {
        let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        return word.hasPrefix("@") || levels.contains(word)
    }
}
