import Foundation

/// A run of a program in its smallest configuration, and the files that it wrote.
struct SmallestRun {
    let run: ToolRun
    let files: [String: Data]

    /// The arguments of each program's smallest run. `%` represents a scratch directory.
    static let arguments: [String: [[String]]] = [
        "cold-start-benchmark": [
            [
                "--rows", "100", "300", "--sections", "27", "40", "--samples", "1", "--json",
                "%/results.json",
                "--svg", "%/plot.svg", "--ratios", "%/ratios",
            ]
        ],
        "object-benchmark": [
            [
                "--rows", "300", "--fetched", "200", "--samples", "1", "--json", "%/results.json",
                "--ratios", "%/ratios",
            ], ["growth", "--few", "100", "--many", "200", "--rounds", "1"],
            ["noticing", "--commits", "2", "--idle-seconds", "0"],
            ["pins", "--rows", "20", "--samples", "1", "--saves", "2"],
        ],
        "change-benchmark": [
            [
                "--rows", "300", "--samples", "1", "--saves", "1", "--batches", "1", "--json",
                "%/results.json", "--ratios", "%/ratios",
            ],
            [
                "windows", "--rows", "3000", "--saves", "1", "--json", "%/results.json", "--ratios",
                "%/ratios",
            ],
            ["collections", "--artists", "300", "--saves", "1", "--ratios", "%/ratios"],
            ["unions", "--rows", "300", "--saves", "1", "--ratios", "%/ratios"],
        ],
        "edit-benchmark": [
            ["10000"], ["validator", "--mebibytes", "2", "--samples", "3", "--ratios", "%/ratios"],
        ],
        "main-actor-benchmark": [
            ["--rows", "300", "--json", "%/results.json", "--ratios", "%/ratios"]
        ],
        // Separate tests write pages of the other programs' results.
        "benchmark-report": [["--help"]],
        "change-replay": [["--operations", "1", "--seed", "1"]],
        "import-replay": [["random", "--count", "3", "--seed", "1"]],
        "fault-programs": [["list"], ["run", "cache-names", "--count", "3", "--seed", "1"]],
        "fuzz-targets": [["list"], ["replay", "csv"]],
        // A separate test runs the commands of `Tools/quickstart`.
        "library-import": [["generate", "%/songs.csv", "--rows", "10"]],
        "library-browser": [["--help"]],
        "cache-inspector": [["list", "--cache-directory", "%/caches"]],
        "model-tool": [
            ["show", RepositoryFile.url("Tests/ModelReadingTests/Resources/Tour.xcdatamodeld").path],
            [
                "generate",
                RepositoryFile.url("Tests/ModelReadingTests/Resources/Tour.xcdatamodeld").path, "--output",
                "%/classes",
            ],
        ],
    ]

    /// Returns the run with these arguments, which several tests read.
    static func outcome(of program: String, _ arguments: [String]) async throws -> SmallestRun {
        try await Runs.shared.outcome(of: program, arguments)
    }

    /// The runs so far.
    private actor Runs {
        static let shared = Runs()
        private var tasks: [[String]: Task<SmallestRun, any Error>] = [:]

        func outcome(of program: String, _ arguments: [String]) async throws -> SmallestRun {
            let key = [program] + arguments
            let task =
                tasks[key]
                ?? Task {
                    let scratch = try ScratchDirectory()
                    let run = try await ToolProcess.runLong(
                        program, arguments.map { $0.replacing("%", with: scratch.url.path) }, timeLimit: 300)
                    return SmallestRun(run: run, files: try ScratchDirectory.contents(of: scratch.url))
                }
            tasks[key] = task
            return try await task.value
        }
    }
}
