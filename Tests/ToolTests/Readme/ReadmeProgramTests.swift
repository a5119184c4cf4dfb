import Foundation
import Testing

/// Every program that the article “Contributing” names completes in its smallest configuration. The
/// benchmarks themselves compare the results of all methods, and end with status 2 if two differ.
@Suite struct ReadmeProgramTests {
    private static let smallest = SmallestRun.arguments

    @Test(arguments: smallest.keys.sorted())
    func `a program completes in its smallest configuration`(program: String) async throws {
        for arguments in Self.smallest[program] ?? [] {
            let outcome = try await SmallestRun.outcome(of: program, arguments)
            let run = outcome.run
            #expect(run.status == 0, "\(run)")
            #expect(!run.output.isEmpty || arguments.first == "generate", "\(run)")
            for case let argument in arguments
            where argument.hasPrefix("%/") && argument != "%/caches" && argument != "%/classes" {
                let size = outcome.files[String(argument.dropFirst(2))]?.count
                #expect(size ?? 0 > 0, "\(argument) of \(run)")
            }
        }
    }

    @Test func `each program in the table is run by these tests`() throws {
        let named = try RepositoryFile.text("Sources/SectionedFetch/Documentation.docc/Contributing.md")
            .matches(of: /`([a-z]+(?:-[a-z]+)+)`:/).map { String($0.1) }
        #expect(Set(named) == Set(Self.smallest.keys))
    }

    @Test func `each ratio that a program writes has a threshold, and each threshold has a ratio`()
        async throws
    {
        var written: Set<String> = []
        for (program, runs) in Self.smallest {
            for arguments in runs where arguments.contains("--ratios") {
                let outcome = try await SmallestRun.outcome(of: program, arguments)
                try #require(outcome.run.status == 0, "\(outcome.run)")
                let lines = String(decoding: outcome.files["ratios"] ?? Data(), as: UTF8.self)
                    .split(separator: "\n").map { $0.split(separator: " ") }
                #expect(lines.allSatisfy { $0.count == 2 && Double($0[1]) ?? 0 > 0 }, "\(lines)")
                written.formUnion(lines.map { String($0[0]) })
            }
        }
        let thresholds = try RepositoryFile.text("Tools/Benchmarks/Thresholds.txt").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(written.sorted() == thresholds.sorted())
    }

    /// Runs the script with the programs that are built for the tests instead of those for release.
    @Test func `the commands that quickstart shows list the catalogue twice, the second time from the cache`()
        throws
    {
        let scratch = try ScratchDirectory()
        try FileManager.default.createSymbolicLink(
            at: scratch.file("Tools"), withDestinationURL: RepositoryFile.url("Tools"))
        let script = try RepositoryFile.text("Tools/quickstart").split(
            separator: "\n", omittingEmptySubsequences: false
        ).filter { !$0.hasPrefix("source ") }.joined(separator: "\n")
        let prelude = """
            step() { printf '\\n==> %s\\n' "$*"; }
            stop() { printf '\\nStopped: %s\\n' "$*" >&2; exit 1; }
            set_up() { cd -- '\(scratch.url.path)'; }
            build_for_release() { :; }
            release_folder() { printf '%s\\n' '\(try ToolProcess.directory.path)'; }
            songs=2000

            """
        let run = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"), ["bash", "-c", prelude + script, "quickstart"],
            command: "Tools/quickstart", timeLimit: 120)
        try #require(run.status == 0, "\(run)")
        let folder = scratch.file(".build/quickstart")
        let lists = try ["first.txt", "second.txt"].map { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
        }
        #expect(lists[0].contains { $0.contains(": miss") } && lists[1].contains { $0.hasSuffix(": hit") })
        // All lines but the answer of the cache, the times, and the message that the sections are saved.
        let rows = lists.map { list in
            list.filter { line in
                !["First screen", "The sections are saved", "Cache “works”"].contains { line.hasPrefix($0) }
            }
        }
        #expect(rows[0].count > 20 && rows[0] == rows[1], "\(run)")
        for start in ["computed: ", "from the cache: "] {
            #expect(run.lines.contains { $0.hasPrefix(start) && $0.hasSuffix(" ms") }, "\(run)")
        }
    }
}
