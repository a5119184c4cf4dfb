import Foundation
import Testing

/// `Tools/benchmark` compares ratios, here those of a file instead of a measurement, with committed ones.
@Suite struct BenchmarkScriptTests {
    private static let thresholds = """
        # A comment.

        start.hit at-most 2.5
        import.rows at-least 0.54
        """

    /// Runs the script on files of these contents.
    private static func compare(
        _ results: String, again: String? = nil, thresholds: String = thresholds
    ) throws -> ToolRun {
        let scratch = try ScratchDirectory()
        var arguments = ["--thresholds", scratch.path("thresholds"), "--compare", scratch.path("results")]
        try Data(thresholds.utf8).write(to: scratch.file("thresholds"))
        try Data(results.utf8).write(to: scratch.file("results"))
        if let again {
            try Data(again.utf8).write(to: scratch.file("again"))
            arguments.append(scratch.path("again"))
        }
        return try run(arguments)
    }

    private static func run(_ arguments: [String]) throws -> ToolRun {
        try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            ["bash", RepositoryFile.url("Tools/benchmark").path] + arguments, command: "Tools/benchmark")
    }

    /// Returns the verdict, the name, the ratio, the committed ratio and the allowed ratio of each line.
    private static func verdicts(_ run: ToolRun) -> [[String]] {
        run.lines.compactMap { line in
            line.wholeMatch(
                of: /(within|beyond|missing) +(\S+) +(\S+) +committed (\S+), allowed (at (?:most|least) \S+)/
            )
            .map { [$0.1, $0.2, $0.3, $0.4, $0.5].map(String.init) }
        }
    }

    @Test(arguments: [
        // A factor of exactly two is allowed in either direction, and any better ratio.
        ("start.hit 5\nimport.rows 0.27\n", ["within", "within"]),
        ("start.hit 0.1\nimport.rows 30\n", ["within", "within"]),
        ("start.hit 5.01\nimport.rows 0.54\n", ["beyond", "within"]),
        ("import.rows 0.269\nstart.hit 2.5\n", ["within", "beyond"]),
        // The two faults that the check must detect.
        ("import.rows 0.18\nstart.hit 2.5\n", ["within", "beyond"]),
        ("import.rows 0.54\n", ["missing", "within"]),
        ("start.hit 1e1\nimport.rows 5e-2\n", ["beyond", "beyond"]),
        ("", ["missing", "missing"]),
    ])
    func `a ratio more than a factor of two worse ends with status 1`(results: String, expected: [String])
        throws
    {
        let run = try Self.compare(results)
        #expect(Self.verdicts(run).map { $0[0] } == expected, "\(run)")
        #expect(run.status == (expected == ["within", "within"] ? 0 : 1), "\(run)")
    }

    @Test func `a line has the ratio, the committed ratio and the allowed ratio`() throws {
        let run = try Self.compare("start.hit 5.25\nimport.rows 0.25\n")
        #expect(
            Self.verdicts(run) == [
                ["beyond", "start.hit", "5.25", "2.5", "at most 5"],
                ["beyond", "import.rows", "0.25", "0.54", "at least 0.27"],
            ], "\(run)")
    }

    @Test func `the second measurement decides only about ratios that failed in the first`() throws {
        let better = try Self.compare(
            "start.hit 9\nimport.rows 0.5\n", again: "start.hit 2\nimport.rows 0.1\n")
        #expect(better.status == 0, "\(better)")
        #expect(Self.verdicts(better).map { $0[2] } == ["2", "0.5"], "\(better)")
        #expect(better.lines.contains { $0.hasPrefix("measured twice: start.hit") }, "\(better)")
        let worse = try Self.compare("start.hit 9\nimport.rows 0.5\n", again: "start.hit 8\n")
        #expect(worse.status == 1 && Self.verdicts(worse).map { $0[0] } == ["beyond", "within"], "\(worse)")
        let both = try Self.compare("start.hit 9\nimport.rows 0.1\n", again: "import.rows 1\nstart.hit 1\n")
        #expect(both.status == 0 && Self.verdicts(both).map { $0[2] } == ["1", "1"], "\(both)")
        // A ratio that was not measured again is missing.
        let none = try Self.compare("start.hit 9\nimport.rows 0.5\n", again: "")
        #expect(none.status == 1 && Self.verdicts(none).map { $0[0] } == ["missing", "within"], "\(none)")
    }

    @Test(arguments: [
        ("start.hit nan\nimport.rows 1\n", thresholds, "results:1"),
        ("start.hit -1\n", thresholds, "results:1"), ("start.hit\n", thresholds, "results:1"),
        ("import.rows 1\nstart.hit 1 2\n", thresholds, "results:2"),
        ("start.hit 1\nstart.hit 1\n", thresholds, "results:2: start.hit occurs twice"),
        ("start.other 1\n", thresholds, "results:1: start.other has no threshold"),
        ("start.hit 1\n", "start.hit most 1\n", "thresholds:1"),
        ("start.hit 1\n", "start.hit at-most 0\n", "thresholds:1"),
        (
            "start.hit 1\n", "start.hit at-most 1\nstart.hit at-least 1\n",
            "thresholds:2: start.hit occurs twice"
        ),
        ("", "# Nothing.\n", "has no thresholds"), ("", "", "has no thresholds"),
    ])
    func `a file of another form ends with status 2 and names the line`(
        results: String, thresholds: String, message: String
    ) throws {
        let run = try Self.compare(results, thresholds: thresholds)
        #expect(run.status == 2, "\(run)")
        #expect(run.errors.contains(message) && run.errors.hasPrefix("benchmark: "), "\(run)")
        #expect(Self.verdicts(run).isEmpty, "\(run)")
    }

    @Test(arguments: [
        ["--chekc"], ["--compare"], ["--thresholds"], ["--compare", "/no/such/file"],
        ["--check", "--compare", "/dev/null"], ["--compare", "/dev/null", "/no/such/file"],
        ["--thresholds", "/no/such/file", "--compare", "/dev/null"], ["100"], ["--report"],
        ["--report", ""], ["--report", "/dev/null"], ["--check", "--report", "report"],
        ["--report", "report", "--compare", "/dev/null"], ["--rows", "10000"],
        ["--report", "report", "--rows"], ["--report", "report", "--rows", "9999"],
        ["--report", "report", "--rows", "10000001"], ["--report", "report", "--rows", "1e6"],
    ])
    func `unknown arguments end with status 2 before anything is built`(arguments: [String])
        throws
    {
        let run = try Self.run(arguments)
        #expect(run.status == 2 && run.output == "" && run.errors.hasPrefix("benchmark: "), "\(run)")
    }

    @Test func `the help names every option and status`() throws {
        for option in ["-h", "--help"] {
            let run = try Self.run([option])
            #expect(run.status == 0 && run.errors == "", "\(run)")
            for word in [
                "--check", "--compare", "--thresholds", "--report DIR", "--rows N", "about 15 minutes",
                "Exit status: 0", "1 if", "2 if",
            ] {
                #expect(run.output.contains(word), "\(run)")
            }
        }
    }

    @Test func `the committed thresholds pass as results`() throws {
        let text = try RepositoryFile.text("Tools/Benchmarks/Thresholds.txt")
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
        #expect(lines.count > 20)
        let results = lines.map { "\($0[0]) \($0[2])\n" }.joined()
        let run = try Self.compare(results, thresholds: text)
        #expect(run.status == 0, "\(run)")
        #expect(Self.verdicts(run).count == lines.count, "\(run)")
    }
}

/// `.ci/run` in a package with scripts in place of the tests and benchmarks.
@Suite struct ContinuousIntegrationTests {
    private static let summary = "✔ Test run with 3 tests in 1 suite passed after 0.1 seconds."

    private static func run(
        testStatus: Int, benchmarkStatus: Int, documentationStatus: Int = 0, buildStatus: Int = 0
    ) throws -> ToolRun {
        let scratch = try ScratchDirectory()
        for folder in [".ci", "Tools", "bin"] {
            try FileManager.default.createDirectory(
                at: scratch.file(folder), withIntermediateDirectories: false)
        }
        try FileManager.default.copyItem(
            at: RepositoryFile.url(".ci/run"), to: scratch.file(".ci/run"))
        let scripts = [
            "bin/swift": "exit 0", "bin/shellcheck": "exit 0",
            "Tools/setup.sh": "set_up() { :; }",
            "Tools/test":
                "[ \"$1\" != --build-only ] || exit 0; echo building; echo '\(summary)'; exit \(testStatus)",
            "Tools/build": "echo \"tools: $*\"; exit \(buildStatus)",
            "Tools/documentation": "exit \(documentationStatus)",
            "Tools/benchmark": "echo \"measured $*\"; exit \(benchmarkStatus)",
        ]
        for (path, script) in scripts { try ProgramFile.make(script, at: scratch.file(path)) }
        let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"), ["bash", scratch.path(".ci/run")],
            environment: ["PATH": "\(scratch.path("bin")):\(searchPath)"])
    }

    @Test func `the script ends with the summary of the tests, after the benchmarks`() throws {
        let run = try Self.run(testStatus: 0, benchmarkStatus: 0)
        #expect(run.status == 0, "\(run)")
        #expect(run.lines.filter { !$0.isEmpty }.suffix(2) == ["measured --check", Self.summary], "\(run)")
    }

    @Test func `the script fails if only the documentation fails, and measures all the same`() throws {
        let run = try Self.run(testStatus: 0, benchmarkStatus: 0, documentationStatus: 1)
        #expect(run.status == 1 && run.lines.contains("measured --check"), "\(run)")
    }

    @Test func `the script prints the build of the tools, and ends if it fails`() throws {
        let run = try Self.run(testStatus: 0, benchmarkStatus: 0, buildStatus: 3)
        #expect(run.status == 3 && !run.output.contains(Self.summary), "\(run)")
        #expect(run.lines.contains("tools: library-import library-browser cache-inspector"), "\(run)")
    }

    @Test func `the script fails if only the benchmarks fail`() throws {
        let run = try Self.run(testStatus: 0, benchmarkStatus: 1)
        #expect(run.status == 1, "\(run)")
        #expect(run.lines.last { !$0.isEmpty } == Self.summary, "\(run)")
    }

    @Test func `the script measures nothing and fails if the tests fail`() throws {
        let run = try Self.run(testStatus: 7, benchmarkStatus: 0)
        #expect(run.status == 7 && !run.output.contains("measured --check"), "\(run)")
        #expect(run.lines.last { !$0.isEmpty } == Self.summary, "\(run)")
    }
}
