import Foundation
import Testing

/// `Tools/benchmark --report` with programs in place of the benchmarks, which copy results of small runs.
@Suite struct ReportScriptTests {
    /// A directory with the script's surroundings, and the programs in place of the benchmarks.
    private struct Surroundings {
        let scratch: ScratchDirectory
        private let results: ScratchDirectory

        /// - Parameter failing: The name of a file of results whose program fails.
        init(failing: String = "") async throws {
            scratch = try ScratchDirectory()
            results = try await ReportedResults.directory()
            try FileManager.default.createDirectory(
                at: scratch.file("bin"), withIntermediateDirectories: false)
            let stub = """
                echo "${0##*/} $*" >>'\(scratch.path("commands"))'
                while [[ $1 != --json ]]; do shift; done
                name=${2##*/}
                [[ $name != '\(failing)' ]] || { echo 'out of luck'; exit 2; }
                cp '\(results.url.path)'/"$name" "$2"
                """
            for program in [
                "cold-start-benchmark", "change-benchmark", "main-actor-benchmark", "object-benchmark",
            ] {
                try ProgramFile.make(stub, at: scratch.file("bin/\(program)"), shell: "bash")
            }
            try FileManager.default.createSymbolicLink(
                atPath: scratch.path("bin/benchmark-report"),
                withDestinationPath: ToolProcess.path("benchmark-report"))
            let resolved = """
                {
                  "pins" : [
                    {
                      "identity" : "grdb.swift",
                      "state" : {
                        "version" : "7.99.1"
                      }
                    }
                  ]
                }
                """
            try Data(resolved.utf8).write(to: scratch.file("Package.resolved"))
        }

        /// Runs the script without a build.
        ///
        /// - Parameter directory: The caller's directory, if it matters.
        func run(_ arguments: [String], from directory: URL? = nil) throws -> ToolRun {
            let script = try RepositoryFile.text("Tools/benchmark").split(
                separator: "\n", omittingEmptySubsequences: false
            ).filter { !$0.hasPrefix("source ") }.joined(separator: "\n")
            let prelude = """
                cd -- '\((directory ?? scratch.url).path)'
                repository='\(scratch.url.path)'
                step() { printf '\\n==> %s\\n' "$*"; }
                set_up() { cd -- '\(scratch.url.path)'; }
                build_for_release() { echo "built $*"; }
                release_folder() { printf '%s\\n' '\(scratch.path("bin"))'; }
                linking() { echo static; }

                """
            return try ToolProcess.run(
                executable: URL(filePath: "/usr/bin/env"),
                ["bash", "-c", prelude + script, "benchmark"] + arguments, command: "Tools/benchmark",
                timeLimit: 120)
        }

        /// The command lines of the programs, without the files that they wrote.
        var commands: [String] {
            get throws {
                try String(contentsOf: scratch.file("commands"), encoding: .utf8)
                    .split(separator: "\n").map { String($0.prefix { $0 != "/" }) }
            }
        }

        func page(in directory: String) throws -> String {
            try String(contentsOf: scratch.file("\(directory)/index.html"), encoding: .utf8)
        }
    }

    @Test func `the report runs each benchmark once, and its directory has the page and the results`()
        async throws
    {
        let surroundings = try await Surroundings()
        let run = try surroundings.run(["--report", surroundings.scratch.path("report"), "--rows", "20000"])
        #expect(
            try surroundings.commands == [
                "cold-start-benchmark --rows 200 2000 20000 --sections 27 --samples 21 --seconds 4 --svg ",
                "change-benchmark --rows 2000 --samples 5 --saves 20 --batches 5 --json ",
                "change-benchmark windows --rows 20000 --saves 20 --json ",
                "main-actor-benchmark --rows 20000 --json ",
                "object-benchmark --rows 2000 --fetched 2000 --samples 7 --json ",
            ], "\(run)")
        #expect(run.output.contains("built ") && run.output.contains(" benchmark-report\n"), "\(run)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: surroundings.scratch.path("report")).sorted()
                == [
                    "changes.json", "cold-start.json", "index.html", "machine.txt", "main-actor.json",
                    "objects.json", "windows.json",
                ])
        // The machine of this test may lack some of the programs whose versions the page has.
        let machine = try String(
            contentsOf: surroundings.scratch.file("report/machine.txt"), encoding: .utf8)
        let entries = machine.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(entries.allSatisfy { $0.count == 2 }, "\(machine)")
        for entry in ["GRDB\t7.99.1", "linking\tstatic", "cores\t", "memory\t", "kernel\t", "date\t20"] {
            #expect(machine.contains(entry), "\(machine)")
        }
        let page = try surroundings.page(in: "report")
        #expect(page.contains("7.99.1") && page.contains("GRDB: records, grouped in Swift"))
        #expect(run.status == (run.errors.contains("missing: ") ? 2 : 0), "\(run)")
        let missing = run.errors.split(separator: "\n").filter { !$0.hasSuffix(" in machine.txt") }
        #expect(missing == [], "\(run)")
    }

    @Test func `a benchmark that fails is named, and the others are reported`() async throws {
        let surroundings = try await Surroundings(failing: "windows.json")
        // The results of an earlier report are not those of this run.
        let folder = surroundings.scratch.file("report")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("{}".utf8).write(to: folder.appending(path: "windows.json"))
        let run = try surroundings.run(["--report", folder.path])
        #expect(run.status == 2, "\(run)")
        for message in [
            "out of luck", "change-benchmark windows --rows 1000000 --saves 20 failed; its output is in",
            "benchmark-report: missing: windows.json does not exist",
        ] {
            #expect(run.errors.contains(message), "\(run)")
        }
        let page = try surroundings.page(in: "report")
        #expect(page.contains("Not measured: windows.json does not exist"))
        #expect(page.contains("a search by typing eight letters"))
        let log = folder.appending(path: "windows.log")
        #expect(try String(contentsOf: log, encoding: .utf8) == "out of luck\n")
    }

    @Test func `a directory is relative to the caller's, and may have spaces`() async throws {
        let surroundings = try await Surroundings()
        let folder = surroundings.scratch.file("a folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let run = try surroundings.run(["--report", "my report"], from: folder)
        #expect(run.output.contains("my report/index.html"), "\(run)")
        #expect(try surroundings.page(in: "a folder/my report").hasSuffix("</html>\n"))
    }
}
