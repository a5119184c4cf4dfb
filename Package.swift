// swift-tools-version: 6.2
import PackageDescription

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")

let package = Package(
    name: "sectioned-fetch",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "SectionedFetch", targets: ["SectionedFetch"]),
        .library(name: "ObjectStorage", targets: ["ObjectStorage"]),
        .library(name: "ModelReading", targets: ["ModelReading"]),
        .library(name: "CoreDataStores", targets: ["CoreDataStores"]),
        .library(name: "SectionCaching", targets: ["SectionCaching"]),
        .executable(name: "library-import", targets: ["LibraryImportProgram"]),
        .executable(name: "library-browser", targets: ["LibraryBrowser"]),
        .executable(name: "cache-inspector", targets: ["CacheInspector"]),
        .executable(name: "model-tool", targets: ["ModelTool"]),
        .executable(name: "cold-start-benchmark", targets: ["ColdStartBenchmark"]),
        .executable(name: "cold-start-sample", targets: ["ColdStartSample"]),
        .executable(name: "cold-start-floor", targets: ["ColdStartFloor"]),
        .executable(name: "object-benchmark", targets: ["ObjectBenchmark"]),
        .executable(name: "edit-benchmark", targets: ["EditBenchmark"]),
        .executable(name: "main-actor-benchmark", targets: ["MainActorBenchmark"]),
        .executable(name: "change-benchmark", targets: ["ChangeBenchmark"]),
        .executable(name: "benchmark-report", targets: ["BenchmarkReport"]),
        .executable(name: "change-replay", targets: ["ChangeReplay"]),
        .executable(name: "fault-programs", targets: ["FaultPrograms"]),
        .executable(name: "fuzz-targets", targets: ["FuzzTargets"]),
        .executable(name: "import-replay", targets: ["ImportReplay"]),
    ],
    traits: [
        .trait(
            name: "Mutants",
            description: "Compiles the deliberate mistakes that the tests and verification programs plant.")
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Deliberate mistakes that the tests plant to show that they find them: inert without the trait `Mutants`.
        .target(name: "Mutants"),
        // Threads, locks, byte writers and searches that every column uses.
        .target(name: "InternalUtilities"),
        // The cache column.
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .yum(["lmdb-devel"]), .brew(["lmdb"])]),
        .target(name: "LMDB", dependencies: ["CLMDB", "Mutants"]),
        .target(
            name: "SectionCaching",
            dependencies: ["LMDB", "InternalUtilities", "Mutants", crypto]),
        // The object column.
        .systemLibrary(
            name: "CSQLiteShims", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
        .target(name: "ObjectModel", dependencies: ["InternalUtilities", "Mutants", crypto]),
        .target(
            name: "RequestCompilation",
            dependencies: ["ObjectModel", "InternalUtilities", "Mutants", grdb, grdbSQLite],
            // The collation of Unicode that comes with Foundation. On Apple's systems, Foundation does not
            // export it.
            linkerSettings: [
                .linkedLibrary("_FoundationICU", .when(platforms: [.linux, .android, .windows]))
            ]),
        .target(
            name: "ObjectStorage",
            dependencies: [
                "ObjectModel", "RequestCompilation", "CSQLiteShims", "InternalUtilities", "Mutants", grdb,
                grdbSQLite, crypto,
            ]),
        // Model files, in a separate module so that programs without them do not link an XML parser.
        .target(name: "ModelReading", dependencies: ["ObjectStorage", "CExpat"]),
        // Decompression, for stores of Core Data and for files of records.
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
        // The parser of XML, for sources of models and for files of records.
        .systemLibrary(
            name: "CExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .yum(["expat-devel"]), .brew(["expat"])]),
        // Stores of Core Data and SwiftData, with the models in them.
        .target(name: "CoreDataStores", dependencies: ["ModelReading", "ObjectStorage", "CZlib", crypto]),
        // Results controllers, which use both columns.
        .target(
            name: "SectionedFetch",
            dependencies: ["ObjectStorage", "SectionCaching", "InternalUtilities", "Mutants"]),

        // The programs that users run.
        .executableTarget(
            name: "LibraryImportProgram", dependencies: ["LibraryImport"],
            path: "Tools/Programs/LibraryImportProgram"),
        .target(
            name: "LibraryImport",
            dependencies: [
                "SectionedFetch", "CoreDataStores", "ModelReading", "RecordReading", "CatalogueGenerator",
                "ToolSupport", "InternalUtilities", argumentParser, crypto,
            ],
            path: "Tools/Programs/LibraryImport"),
        .executableTarget(
            name: "LibraryBrowser",
            dependencies: [
                "SectionedFetch", "CoreDataStores", "ToolSupport", "TerminalTable", argumentParser,
            ],
            path: "Tools/Programs/LibraryBrowser"),
        .executableTarget(
            name: "CacheInspector",
            dependencies: ["SectionedFetch", "SectionCaching", "ToolSupport", argumentParser],
            path: "Tools/Programs/CacheInspector"),
        .executableTarget(
            name: "ModelTool",
            dependencies: ["ModelReading", "CoreDataStores", "ObjectStorage", "ToolSupport", argumentParser],
            path: "Tools/Programs/ModelTool"),

        // Libraries that the programs share.
        .target(
            name: "RecordReading", dependencies: ["CZlib", "CExpat", "Mutants", crypto],
            path: "Tools/Support/RecordReading"),
        .target(name: "CatalogueGenerator", path: "Tools/Support/CatalogueGenerator"),
        .target(
            name: "ToolSupport",
            dependencies: ["SectionedFetch", "CoreDataStores", "CProcessStart", argumentParser],
            path: "Tools/Support/ToolSupport"),
        // C, because it runs before Swift's runtime.
        .target(name: "CProcessStart", path: "Tools/Support/CProcessStart"),
        // The model of a table view without a terminal.
        .target(
            name: "TerminalTable", dependencies: ["SectionedFetch", "InternalUtilities", "ToolSupport"],
            path: "Tools/Support/TerminalTable"),
        .target(name: "BenchmarkSupport", path: "Tools/Support/BenchmarkSupport"),
        // Seeded generators, damage and shortages, for the tests and the verification programs.
        .target(name: "CheckSupport", path: "Tools/Support/CheckSupport"),

        // Benchmarks.
        .executableTarget(
            name: "ObjectBenchmark",
            dependencies: [
                "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", argumentParser, grdb,
            ],
            path: "Tools/Benchmarks/ObjectBenchmark"),
        .executableTarget(
            name: "EditBenchmark",
            dependencies: ["SectionCaching", "LMDB", "BenchmarkSupport", argumentParser],
            path: "Tools/Benchmarks/EditBenchmark"),
        .executableTarget(
            name: "MainActorBenchmark",
            dependencies: ["SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", argumentParser],
            path: "Tools/Benchmarks/MainActorBenchmark"),
        .executableTarget(
            name: "ChangeBenchmark",
            dependencies: [
                "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", argumentParser, grdb, grdbSQLite,
            ],
            path: "Tools/Benchmarks/ChangeBenchmark"),
        .executableTarget(
            name: "ColdStartBenchmark", dependencies: ["BenchmarkSupport", argumentParser],
            path: "Tools/Benchmarks/ColdStartBenchmark"),
        .executableTarget(
            name: "BenchmarkReport", dependencies: ["BenchmarkSupport", argumentParser],
            path: "Tools/Benchmarks/BenchmarkReport"),
        .executableTarget(
            name: "ColdStartSample",
            dependencies: ["SectionedFetch", "CatalogueGenerator", "BenchmarkSupport", grdb, grdbSQLite],
            path: "Tools/Benchmarks/ColdStartSample"),
        .executableTarget(
            name: "ColdStartFloor",
            dependencies: ["CLMDB"], path: "Tools/Benchmarks/ColdStartFloor",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),

        // Verification: random histories, fault injection and fuzzing.
        .target(
            name: "ChangeHistory",
            dependencies: ["SectionedFetch", "Mutants", "ToolSupport", "CheckSupport", grdb],
            path: "Tools/Verification/ChangeHistory"),
        .executableTarget(
            name: "ChangeReplay",
            dependencies: [
                "SectionedFetch", "Mutants", "ToolSupport", "ChangeHistory", "CheckSupport", argumentParser,
            ],
            path: "Tools/Verification/ChangeReplay"),
        .executableTarget(
            name: "FaultPrograms",
            dependencies: [
                "SectionedFetch", "ObjectStorage", "SectionCaching", "LMDB", "CLMDB", "Mutants",
                "RecordReading", "ToolSupport", "CheckSupport", "Fuzzing", "BenchmarkSupport", argumentParser,
                grdb, grdbSQLite,
            ],
            path: "Tools/Verification/FaultPrograms"),
        // The parsers of untrusted bytes as functions of bytes, with their oracles.
        .target(
            name: "Fuzzing",
            dependencies: [
                "ObjectStorage", "CoreDataStores", "SectionCaching", "LMDB", "RecordReading", "CheckSupport",
            ],
            path: "Tools/Verification/Fuzzing"),
        .executableTarget(
            name: "FuzzTargets",
            dependencies: ["Fuzzing", "ToolSupport", "CheckSupport", argumentParser],
            path: "Tools/Verification/FuzzTargets", exclude: ["Corpora"]),

        // Imports of random and of given files, with Python as the oracle.
        .executableTarget(
            name: "ImportReplay",
            dependencies: ["LibraryImport", "ToolSupport", "CheckSupport", argumentParser],
            path: "Tools/Verification/ImportReplay",
            resources: ["tables", "types", "stores", "files", "replay"].map { .embedInCode("\($0).py") }),

        // Tests: one target for each module.
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "CheckSupport"]),
        .testTarget(
            name: "SectionCachingTests", dependencies: ["SectionCaching", "LMDB", "CLMDB", "CheckSupport"]),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "CSQLiteShims", "ObjectStorage", "CheckSupport",
                grdb, grdbSQLite,
            ]),
        .testTarget(
            name: "ModelReadingTests", dependencies: ["ModelReading", "ObjectStorage", "CheckSupport"],
            exclude: ["Resources", "GeneratedFromDatabase/shop.sql"]),
        .testTarget(
            name: "CoreDataStoresTests",
            dependencies: [
                "CoreDataStores", "ModelReading", "ObjectStorage", "SectionedFetch", "LibraryImport",
                "CheckSupport",
            ]),
        .testTarget(
            name: "SectionedFetchTests", dependencies: ["SectionedFetch", "ChangeHistory", "CheckSupport"]),
        .testTarget(
            name: "CookbookTests",
            dependencies: ["SectionedFetch", "ModelReading", "CoreDataStores", "CheckSupport"]),
        // The listings of the article “Getting Started” as a program, which `ToolTests` runs twice.
        .executableTarget(
            name: "GettingStarted", dependencies: ["SectionedFetch"], path: "Tests/GettingStarted"),
        .testTarget(name: "RecordReadingTests", dependencies: ["RecordReading", "CheckSupport"]),
        .testTarget(name: "CatalogueGeneratorTests", dependencies: ["CatalogueGenerator", "CheckSupport"]),
        .testTarget(
            name: "TerminalTableTests", dependencies: ["TerminalTable", "SectionedFetch", "CheckSupport"]),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "SectionedFetch", "InternalUtilities", "ToolSupport", "LibraryImport", "LibraryBrowser",
                "CacheInspector", "ModelTool",
                "ColdStartBenchmark", "ChangeBenchmark", "BenchmarkReport", "FaultPrograms", "FuzzTargets",
                "BenchmarkSupport", "CheckSupport",
                argumentParser,
            ]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6]
)

// One place for the settings of every Swift target, so that none is laxer than the others.
let warningsAreErrors = Context.environment["WARNINGS_AS_ERRORS"] == "1"
let targetsInC = ["ColdStartFloor", "CProcessStart"]
for target in package.targets where target.type != .system && !targetsInC.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if warningsAreErrors {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}
