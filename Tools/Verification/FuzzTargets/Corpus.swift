import ArgumentParser
import Foundation
import Fuzzing
import ToolSupport

/// The option for the folder of the corpora.
struct CorporaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the corpora. [default: the folder in the source tree]", valueName: "folder"))
    var corpora: String?

    /// The folder with a folder for each target.
    var folder: URL {
        corpora.map { URL(filePath: $0) }
            ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpora")
    }

    /// Returns the inputs of a target in the order of their names.
    ///
    /// - Throws: ``ToolFailure`` if it has none.
    func corpus(of target: any FuzzTarget.Type) throws -> [FuzzSeed] {
        let directory = folder.appending(path: target.name)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        guard !names.isEmpty else {
            throw ToolFailure(
                "The folder “\(directory.path)” has no corpus. “fuzz-targets seed” with the name of the target creates one."
            )
        }
        return try names.sorted().map { try Corpus.input(directory.appending(path: $0).path) }
    }

    /// Writes inputs of a target.
    func write(_ seeds: [FuzzSeed], of target: any FuzzTarget.Type) throws {
        let directory = folder.appending(path: target.name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for seed in seeds { try Data(seed.bytes).write(to: directory.appending(path: seed.name)) }
        print("\(target.name): \(seeds.count) inputs")
    }
}

/// Reads files of a corpus.
enum Corpus {
    /// Returns the contents of a file as a seed.
    static func input(_ path: String) throws -> FuzzSeed {
        FuzzSeed(
            URL(filePath: path).lastPathComponent, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }
}
