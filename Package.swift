// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sectioned-fetch",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "SectionedFetch", targets: ["SectionedFetch"]),
        .library(name: "ObjectStorage", targets: ["ObjectStorage"]),
        .library(name: "ModelReading", targets: ["ModelReading"]),
        .library(name: "SectionCaching", targets: ["SectionCaching"]),
        .executable(name: "library-import", targets: ["LibraryImport"]),
        .executable(name: "library-browser", targets: ["LibraryBrowser"]),
        .executable(name: "cache-inspector", targets: ["CacheInspector"]),
        .executable(name: "cold-start-benchmark", targets: ["ColdStartBenchmark"]),
        .executable(name: "cold-start-sample", targets: ["ColdStartSample"]),
        .executable(name: "cold-start-floor", targets: ["ColdStartFloor"]),
        .executable(name: "object-benchmark", targets: ["ObjectBenchmark"]),
        .executable(name: "edit-benchmark", targets: ["EditBenchmark"]),
        .executable(name: "change-benchmark", targets: ["ChangeBenchmark"]),
        .executable(name: "change-replay", targets: ["ChangeReplay"]),
        .executable(name: "fault-programs", targets: ["FaultPrograms"]),
        .executable(name: "fuzz-targets", targets: ["FuzzTargets"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Mistakes that debug builds make when they are asked to, so that tests can be tested.
        .target(name: "SeededBugs"),
        // Where a condition begins to hold, and what ascends.
        .target(name: "Searching"),
        // Threads and file descriptors that may not be had.
        .target(name: "Threading"),
        // The cache column.
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .yum(["lmdb-devel"]), .brew(["lmdb"])]),
        .target(name: "LMDB", dependencies: ["CLMDB", "SeededBugs"]),
        .target(
            name: "SectionCaching",
            dependencies: [
                "LMDB", "Searching", "SeededBugs", "Threading",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // The object column.
        .systemLibrary(
            name: "CSQLiteSettings", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
        .target(
            name: "ObjectStorage",
            dependencies: [
                "CSQLiteSettings", "Searching", "SeededBugs", "Threading",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            // The collation of Unicode that comes with Foundation; Foundation on Apple's systems does not
            // show its own.
            linkerSettings: [
                .linkedLibrary("_FoundationICU", .when(platforms: [.linux, .android, .windows]))
            ]),
        // Apart, so that programs without such models do not link an XML parser.
        .target(name: "ModelReading", dependencies: ["ObjectStorage"]),
        // Where the two columns meet.
        .target(
            name: "SectionedFetch",
            dependencies: ["ObjectStorage", "SectionCaching", "Searching", "SeededBugs"]),

        // The programs and what they share.
        .target(name: "RecordReading", dependencies: ["SeededBugs"], path: "Tools/RecordReading"),
        .target(name: "CatalogueGenerator", path: "Tools/CatalogueGenerator"),
        .target(
            name: "ToolSupport",
            dependencies: [
                "SectionedFetch", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/ToolSupport"),
        .executableTarget(
            name: "LibraryImport",
            dependencies: [
                "SectionedFetch", "RecordReading", "CatalogueGenerator", "ToolSupport", "Threading",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/LibraryImport"),
        // What a table view keeps and checks, without a terminal.
        .target(
            name: "TerminalTable", dependencies: ["SectionedFetch", "Searching", "ToolSupport"],
            path: "Tools/TerminalTable"),
        .executableTarget(
            name: "LibraryBrowser",
            dependencies: [
                "SectionedFetch", "ToolSupport", "TerminalTable",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/LibraryBrowser"),
        .executableTarget(
            name: "CacheInspector",
            dependencies: [
                "SectionedFetch", "SectionCaching", "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/CacheInspector"),
        .target(name: "BenchmarkSupport", path: "Tools/BenchmarkSupport"),
        .executableTarget(
            name: "ObjectBenchmark",
            dependencies: [
                "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tools/ObjectBenchmark"),
        // Proves the change reports, at the length that is asked for.
        .executableTarget(
            name: "ChangeReplay",
            dependencies: [
                "SectionedFetch", "SeededBugs", "ToolSupport", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tools/ChangeReplay"),
        // Brings about what can go wrong with caches and stores, and sees to it that no answer is wrong.
        .executableTarget(
            name: "FaultPrograms",
            dependencies: [
                "SectionedFetch", "ObjectStorage", "SectionCaching", "LMDB", "CLMDB", "SeededBugs",
                "RecordReading", "ToolSupport", "TestSupport", "Fuzzing", "BenchmarkSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Tools/FaultPrograms"),
        // What reads bytes of others, as functions of bytes, and the program that a fuzzer drives them by.
        .target(
            name: "Fuzzing",
            dependencies: ["ObjectStorage", "SectionCaching", "LMDB", "RecordReading", "TestSupport"],
            path: "Tools/Fuzzing"),
        .executableTarget(
            name: "FuzzTargets",
            dependencies: [
                "Fuzzing", "ToolSupport", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/FuzzTargets", exclude: ["Corpora"]),
        .executableTarget(
            name: "EditBenchmark",
            dependencies: [
                "SectionCaching", "LMDB", "BenchmarkSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/EditBenchmark"),
        .executableTarget(
            name: "ChangeBenchmark",
            dependencies: [
                "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Tools/ChangeBenchmark"),
        .executableTarget(
            name: "ColdStartBenchmark",
            dependencies: [
                "BenchmarkSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/ColdStartBenchmark"),
        .executableTarget(
            name: "ColdStartSample",
            dependencies: [
                "SectionedFetch", "CatalogueGenerator", "BenchmarkSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Tools/ColdStartSample"),
        .executableTarget(
            name: "ColdStartFloor",
            dependencies: ["CLMDB"], path: "Tools/ColdStartFloor",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),

        // Tests, one target a module, and what they share.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"]),
        .testTarget(
            name: "SectionCachingTests", dependencies: ["SectionCaching", "LMDB", "CLMDB", "TestSupport"]),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "CSQLiteSettings", "ObjectStorage", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(name: "ModelReadingTests", dependencies: ["ModelReading", "ObjectStorage"]),
        .testTarget(
            name: "SectionedFetchTests", dependencies: ["SectionedFetch", "ChangeReplay", "TestSupport"]),
        .testTarget(name: "CookbookTests", dependencies: ["SectionedFetch"]),
        .testTarget(name: "RecordReadingTests", dependencies: ["RecordReading", "TestSupport"]),
        .testTarget(name: "CatalogueGeneratorTests", dependencies: ["CatalogueGenerator"]),
        .testTarget(
            name: "TerminalTableTests", dependencies: ["TerminalTable", "SectionedFetch", "TestSupport"]),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "SectionedFetch", "ToolSupport", "LibraryImport", "LibraryBrowser", "CacheInspector",
                "ColdStartBenchmark", "ChangeBenchmark", "FaultPrograms", "FuzzTargets", "BenchmarkSupport",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6]
)

// One place for the settings of every Swift target, so that none is laxer than the others.
let warningsAreErrors = Context.environment["WARNINGS_AS_ERRORS"] == "1"
for target in package.targets where target.type != .system && target.name != "ColdStartFloor" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if warningsAreErrors {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}
