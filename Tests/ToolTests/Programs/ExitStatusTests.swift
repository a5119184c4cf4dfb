import ArgumentParser
import SectionedFetch
import Testing

@testable import ToolSupport

/// The exit status of a tool for each kind of error.
@Suite struct ExitStatusTests {
    struct SomeTool: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "some-tool")
    }

    static let cases: [(any Error & Sendable, Int32)] = [
        (ToolFinding("One thing is amiss."), 1), (ToolFailure("It cannot be done."), 2),
        (ObjectStorageError(.storeMissing, "There is no store."), 2),
        (ToolDefect("Invalid update: one row too many."), 70), (ExitCode(143), 143),
    ]

    @Test(arguments: cases.indices)
    func `each kind of failure has its own exit status`(position: Int) {
        let (error, status) = Self.cases[position]
        #expect(SomeTool.report(error) == status)
    }

    @Test(arguments: ["library-import", "library-browser", "cache-inspector", "model-tool", "fault-programs"])
    func `--version of each tool prints its version and those of the system's libraries`(tool: String) throws
    {
        let run = try ToolProcess.run(tool, ["--version"])
        #expect(run.status == 0, "\(run)")
        let notes = try RepositoryFile.text("Sources/SectionedFetch/Documentation.docc/ReleaseNotes.md")
        let version = try #require(notes.firstMatch(of: /(?m)^## ([0-9.]+)$/)?.1)
        let libraries = run.output.dropFirst("\(tool) \(version)\n".count)
        #expect(run.output.hasPrefix("\(tool) \(version)\n"), "\(run)")
        #expect(libraries.wholeMatch(of: /SQLite 3\.[0-9]+\.[0-9]+\nLMDB 0\.9\.[0-9]+\n/) != nil, "\(run)")
    }
}
