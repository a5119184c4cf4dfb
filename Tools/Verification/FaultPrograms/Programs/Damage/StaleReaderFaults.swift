import Foundation
import LMDB
import SectionCaching
import Mutants
import CheckSupport

/// Readers that were killed or stopped while they were reading, beside a long series of saves.
///
/// The first trial is short, in a map that is smaller in relation to the saves.
enum StaleReaderFaults: FaultProgram {
    static let name = "stale-readers"
    static let rows = ["A-14"]
    static let summary = "saves beside readers that were killed or stopped, and checks the size of the file"
    static let releaseCount = 21
    static let mutants: [Mutant] = [.deadReadersKept]
    static let huntCount = 1

    /// The size of the map, and the number and size of the saves.
    private struct Scale {
        let mapSize: Int
        let numberOfSaves: Int
        let rowCount: Int

        static let short = Scale(mapSize: 2 << 20, numberOfSaves: 600, rowCount: 2_000)
        static let long = Scale(mapSize: 256 << 20, numberOfSaves: 10_000, rowCount: 20_000)
    }

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            for isKilled in [true, false] {
                let folder = run.folder.appending(path: "\(trial)-\(isKilled ? "killed" : "stopped")")
                let cache = try CacheFolder(folder, data: nil)
                try save(beside: isKilled, cache, trial == 0 ? .short : .long, run, using: &generator)
                try cache.remove()
            }
            run.note(.right)
        }
    }

    private static func save(
        beside isKilled: Bool, _ cache: CacheFolder, _ scale: Scale, _ run: FaultRun,
        using generator: inout SeededGenerator
    ) throws {
        let mapSize = scale.mapSize
        let store = SectionCacheStore(
            directory: cache.url, options: SectionCacheStore.Options(maximumByteCount: mapSize))
        var list = ListSample(
            name: "list", number: 1, rowCount: scale.rowCount, sectionCount: 3, using: &generator)
        try list.save(in: store)
        let reader = try run.start([cache.url.path, String(mapSize)])
        try waitForReader(reader)
        reader.send(isKilled ? SIGKILL : SIGSTOP)
        if isKilled { _ = try reader.wait(upTo: 10) }
        for step in 0..<scale.numberOfSaves {
            list.change(using: &generator)
            try list.save(in: store)
            let answer = try list.answer(of: store)
            let size = try cache.size()
            // A live reader retains all pages that were freed since it began, so that the map fills up. A
            // dead reader retains none.
            guard answer.isWhole || !isKilled, size <= (isKilled ? mapSize / 4 : mapSize) else {
                throw FaultFinding(
                    "save \(step) beside a \(isKilled ? "killed" : "stopped") reader: \(answer), the file has \(size) bytes, \(store.lastProblem.map(String.init(describing:)) ?? "")"
                )
            }
        }
        guard !isKilled else { return }
        reader.send(SIGKILL)
        _ = try reader.wait(upTo: 10)
        list.change(using: &generator)
        try list.rebuild(in: store)
    }

    private static func waitForReader(_ reader: FaultChild) throws {
        for _ in 0..<1_000 {
            if try reader.printed().contains("reading") { return }
            usleep(10_000)
        }
        throw FaultFinding("a reader does not start")
    }

    /// Reads until the process is killed.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let mapSize = Int(arguments[1]) else {
            throw FaultFinding("a directory and a map size are needed")
        }
        let environment = try StoredValues.environment(of: URL(filePath: arguments[0]), mapSize: mapSize)
        try environment.read { _ in
            FileHandle.standardOutput.write(Data("reading".utf8))
            // The process is killed; it ends by itself only if its parent has ended.
            sleep(1_200)
        }
    }
}
