import ArgumentParser
import Foundation
import Fuzzing
import ToolSupport

/// Where the corpora are.
struct CorporaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the corpora. [default: the one beside the source]", valueName: "folder"))
    var corpora: String?

    /// The folder, which has one for each target.
    var folder: URL {
        corpora.map { URL(filePath: $0) }
            ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpora")
    }

    /// The inputs of a target, in the order of their names.
    ///
    /// - Throws: ``ToolFailure`` if there are none.
    func corpus(of target: any FuzzTarget.Type) throws -> [FuzzSeed] {
        let place = folder.appending(path: target.name)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        guard !names.isEmpty else {
            throw ToolFailure("There is no corpus in “\(place.path)”. “fuzz-targets seed” makes one.")
        }
        return try names.sorted().map { try Corpus.input(place.appending(path: $0).path) }
    }

    /// Writes inputs of a target.
    func write(_ seeds: [FuzzSeed], of target: any FuzzTarget.Type) throws {
        let place = folder.appending(path: target.name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for seed in seeds { try Data(seed.bytes).write(to: place.appending(path: seed.name)) }
        print("\(target.name): \(seeds.count) inputs")
    }
}

/// One corpus's files.
enum Corpus {
    /// What is in a file.
    static func input(_ path: String) throws -> FuzzSeed {
        FuzzSeed(
            URL(filePath: path).lastPathComponent, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }
}
