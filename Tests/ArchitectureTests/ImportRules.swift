/// The imports that each module may have: a picture of the most important modules, and a table of all.
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
    /// import. `ColdStartFloor` and `CProcessStart` are in C and are not listed.
    static let allowed: [String: Set<String>] = [
        // Deliberate mistakes for tests, behind the package trait of this name.
        "Mutants": [],
        // Threads, locks, byte writers and searches.
        "InternalUtilities": [],
        // The cache column.
        "LMDB": ["CLMDB", "Mutants"],
        "SectionCaching": ["LMDB", "InternalUtilities", "Mutants", "Crypto"],
        // The object column.
        "ObjectModel": ["InternalUtilities", "Mutants", "Crypto"],
        "RequestCompilation": [
            "ObjectModel", "InternalUtilities", "Mutants", "GRDB", "GRDBSQLite", "_FoundationICU",
        ],
        "ObjectStorage": [
            "ObjectModel", "RequestCompilation", "CSQLiteShims", "InternalUtilities", "Mutants", "GRDB",
            "GRDBSQLite", "Crypto",
        ],
        // Model files of Apple's tools, apart because they need an XML parser.
        "ModelReading": ["ObjectStorage", "CExpat"],
        // Stores of Core Data, apart because they need zlib.
        "CoreDataStores": ["ModelReading", "ObjectStorage", "CZlib", "Crypto"],
        // The module that joins the two columns.
        "SectionedFetch": ["ObjectStorage", "SectionCaching", "InternalUtilities", "Mutants"],
        // Libraries that the programs share.
        "RecordReading": ["CZlib", "CExpat", "Mutants", "Crypto"],
        "CatalogueGenerator": [],
        "ToolSupport": ["SectionedFetch", "CoreDataStores", "CProcessStart", "ArgumentParser"],
        "TerminalTable": ["SectionedFetch", "InternalUtilities", "ToolSupport"],
        "BenchmarkSupport": [],
        "CheckSupport": [],
        // The programs that users run.
        "LibraryImport": [
            "SectionedFetch", "CoreDataStores", "ModelReading", "RecordReading", "CatalogueGenerator",
            "ToolSupport", "InternalUtilities", "ArgumentParser", "Crypto",
        ],
        "LibraryImportProgram": ["LibraryImport"],
        "LibraryBrowser": [
            "SectionedFetch", "CoreDataStores", "ToolSupport", "TerminalTable", "ArgumentParser",
        ],
        "CacheInspector": ["SectionedFetch", "SectionCaching", "ToolSupport", "ArgumentParser"],
        "ModelTool": ["ModelReading", "CoreDataStores", "ObjectStorage", "ToolSupport", "ArgumentParser"],
        // Benchmarks, which compare the product with GRDB and SQLite alone.
        "EditBenchmark": ["SectionCaching", "LMDB", "BenchmarkSupport", "ArgumentParser"],
        "ColdStartBenchmark": ["BenchmarkSupport", "ArgumentParser"],
        "BenchmarkReport": ["BenchmarkSupport", "ArgumentParser"],
        "ColdStartSample": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "GRDBSQLite",
        ],
        "ObjectBenchmark": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "ArgumentParser",
        ],
        "MainActorBenchmark": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "ArgumentParser",
        ],
        "ChangeBenchmark": [
            "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", "GRDB", "GRDBSQLite",
            "ArgumentParser",
        ],
        // Verification, which also reads and writes below the product's interfaces.
        "ChangeHistory": ["SectionedFetch", "Mutants", "ToolSupport", "CheckSupport", "GRDB"],
        "ChangeReplay": [
            "SectionedFetch", "Mutants", "ToolSupport", "ChangeHistory", "CheckSupport", "ArgumentParser",
        ],
        "FaultPrograms": [
            "SectionedFetch", "ObjectStorage", "SectionCaching", "LMDB", "CLMDB", "Mutants", "RecordReading",
            "ToolSupport", "CheckSupport", "Fuzzing", "BenchmarkSupport", "GRDB", "GRDBSQLite",
            "ArgumentParser",
        ],
        "Fuzzing": [
            "ObjectStorage", "CoreDataStores", "SectionCaching", "LMDB", "RecordReading", "CheckSupport",
        ],
        "FuzzTargets": ["Fuzzing", "ToolSupport", "CheckSupport", "ArgumentParser"],
        "ImportReplay": ["LibraryImport", "ToolSupport", "CheckSupport", "ArgumentParser"],
    ]

    /// The modules of Swift and the system, which any module may import.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Observation", "Synchronization", "Glibc", "Musl",
        "Android",
        "Darwin", "WinSDK",
    ]

    /// Returns the module that a file belongs to: the directory below `Sources`, or below a group of `Tools`.
    static func module(ofFileAt path: String) -> String {
        let parts = path.split(separator: "/")
        let depth = parts.first == "Tools" ? 2 : 1
        return parts.count > depth + 1 ? String(parts[depth]) : ""
    }

    /// Returns the imports in a file that the table does not allow.
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

    /// Returns the line and the module of each import declaration.
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
