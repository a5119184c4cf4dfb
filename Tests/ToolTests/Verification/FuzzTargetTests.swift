import Foundation
import CheckSupport
import Testing

/// The readers of bytes from other programs read all committed inputs correctly. `Tools/fuzz` runs more
/// inputs.
@Suite struct FuzzTargetTests {
    private static let names = [
        "entry", "data-file", "predicate", "csv", "json", "model-cache", "music-library", "outline", "bibtex",
        "ris", "marc",
    ]

    @Test(arguments: names)
    func `the corpus is read correctly`(name: String) throws {
        let run = try ToolProcess.run("fuzz-targets", ["replay", name])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("wrong 0"))
        // A parser that is not connected to its target accepts nothing.
        #expect(!run.output.contains(", 0 of them valid"))
    }

    @Test(arguments: names)
    func `random changes of the corpus are read correctly`(name: String) throws {
        let seed = SeededGenerator.newSeed(name)
        let run = try ToolProcess.run(
            "fuzz-targets", ["mutate", name, "--count", "300", "--seed", "\(seed)"])
        #expect(run.status == 0, "\(run)")
    }

    @Test func `all targets have a corpus of few and small files`() throws {
        #expect(
            try ToolProcess.run("fuzz-targets", ["list"]).lines.compactMap {
                $0.split(separator: ":").first.map(String.init)
            } == Self.names)
        let corpora = RepositoryFile.url("Tools/Verification/FuzzTargets/Corpora")
        for name in Self.names {
            let files = try FileManager.default.contentsOfDirectory(
                at: corpora.appending(path: name), includingPropertiesForKeys: [.fileSizeKey])
            #expect((1...20).contains(files.count))
            for file in files {
                #expect(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 <= 128 << 10)
            }
        }
    }

    @Test func `an unknown target is named`() throws {
        try ToolProcess.run("fuzz-targets", ["replay", "nothing"]).expectRefusal(
            saying: "no target “nothing”")
    }
}
