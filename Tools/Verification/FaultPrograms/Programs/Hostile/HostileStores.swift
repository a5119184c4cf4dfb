import BenchmarkSupport
import Foundation
import Fuzzing
import SectionedFetch
import Mutants
import CheckSupport
import ToolSupport

/// Forged and damaged store files, which the inspector and the browser read. They must report an error or the
/// right contents, write nothing, and keep within their memory limit.
enum HostileStores: FaultProgram {
    static let name = "hostile-stores"
    static let rows = ["A-35"]
    static let summary = "gives damaged and forged store files to the inspector and the browser"
    /// The number of damaged files. Each is read twice, the second time as a writable store. Each kind of
    /// forged store is read once in every run.
    static let releaseCount = 100_000
    static let mutants: [Mutant] = [.trustedSchema, .uncheckedIdentity, .unlimitedStatements]
    static let huntCount = 20

    /// The memory that a process which reads one store after the other may use, in KiB.
    private static let memoryLimit = 384 << 10
    static func run(_ run: inout FaultRun) throws {
        let sound = run.folder.appending(path: "sound.store")
        try SampleStore.make(at: sound)
        for forgery in ForgedStore.allCases {
            let folder = run.folder.appending(path: "forged \(forgery)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = folder.appending(path: "a.store")
            try forgery.make(of: sound, at: store)
            run.note(
                try useTools(
                    on: store, expecting: forgery.expectation, forgery.options, "\(forgery)"))
            try FileManager.default.removeItem(at: folder)
        }
        // Damaged stores are read in one process: a process for each would take ten times as long.
        let memory = try ScratchFolder()
        let end = try run.child(
            [sound.path, memory.path, "\(run.count)", "\(run.seed)"], timeLimit: 60 + Double(run.count) / 5)
        guard end.status == 0, let accepted = Int(end.output) else {
            throw FaultFinding(
                "damaged stores: \(end.signal.map { "signal \($0), after trial \(end.errors)" } ?? end.errors)"
            )
        }
        for _ in 0..<accepted { run.note(.right) }
        for _ in accepted..<run.count { run.note(.refused) }
        for trial in 0..<run.count / 100 {
            var generator = run.generator(ofTrial: run.count + trial)
            let folder = run.folder.appending(path: "damaged \(trial)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = folder.appending(path: "a.store")
            let bytes = [UInt8](try Data(contentsOf: sound))
            try Data(StoreDamage.damaged(bytes, using: &generator)).write(to: store)
            _ = try useTools(on: store, expecting: .anything, [], "damaged store \(trial)")
            try FileManager.default.removeItem(at: folder)
        }
    }

    /// Runs the tools on a store, those first that must not change it.
    private static func useTools(
        on store: URL, expecting expectation: ForgedStore.Expectation, _ options: [String],
        _ title: String
    ) throws -> FaultOutcome {
        let folder = store.deletingLastPathComponent()
        let caches = folder.appending(path: "caches").path
        let before = try files(of: store)
        var outcome = FaultOutcome.right
        for arguments in [
            ["explain", "--cache", "c", "--store", store.path],
            ["verify", "c", "--entity", "Song", "--group-by", "genre", "--store", store.path],
        ] {
            let tool = try ToolRun(
                "cache-inspector", arguments + options + ["--cache-directory", caches], folder: folder)
            try tool.checkManners(of: title)
            switch expectation {
            case .anything, .browserRefuses: break
            case .readable:
                guard tool.status != 2 || tool.errors.contains("There is no cache") else {
                    throw FaultFinding("\(title): the store is refused: \(tool.errors)")
                }
            case .refused(let words):
                guard tool.status == 2, tool.errors.contains(words) else {
                    throw FaultFinding("\(title): expected “\(words)”, found \(tool.output)\(tool.errors)")
                }
            }
            if tool.status == 2 { outcome = .refused }
            var after = try files(of: store)
            // The watchdog ends the process, which leaves the empty log that SQLite creates to read a file.
            if tool.errors.contains("one step of it"), before["-wal"] == nil, after["-wal"]?.isEmpty == true {
                after["-wal"] = nil
                for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
            }
            guard after == before else {
                throw FaultFinding("\(title): the inspector changed the store, or created a file beside it")
            }
        }
        let grouping = [
            "--group-by", "genre", "--sort", "genre", "--cache", "c", "--cache-directory", caches,
        ]
        for arguments in [
            grouping,
            ["--limit", "5", "--rows", "100", "--columns", "title,genre", "--json"],
            ["--group-by", "title", "--sort", "title", "--check-all"],
        ] {
            let browser = try ToolRun("library-browser", [store.path] + arguments + options, folder: folder)
            try browser.checkManners(of: "\(title), browser")
            if arguments == grouping, case .browserRefuses(let words) = expectation,
                browser.status != 2 || !browser.errors.contains(words)
            {
                throw FaultFinding("\(title), browser: expected “\(words)”, found \(browser)")
            }
        }
        return outcome
    }

    /// Returns the files of the store, except the index of its log, which SQLite creates for every reader.
    private static func files(of store: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for suffix in ["", "-wal", "-journal"] {
            files[suffix] = FileManager.default.contents(atPath: store.path + suffix)
        }
        return files
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
            throw FaultFinding("hostile-stores: invalid arguments: \(arguments)")
        }
        StoreMemory.limit(to: ForeignStoreOptions.standardMemory)
        let sound = [UInt8](try Data(contentsOf: URL(filePath: arguments[0])))
        let store = URL(filePath: arguments[1]).appending(path: "a.store")
        guard
            try StoreReading(of: write(sound, to: store), isUntrusted: true).numberOfRows == SampleStore.size
        else {
            throw FaultFinding("an undamaged store cannot be read")
        }
        var accepted = 0
        for trial in 0..<count {
            var generator = SeededGenerator(seed: seed &+ UInt64(trial) &* 0x9E37_79B9)
            let bytes = StoreDamage.damaged(sound, using: &generator)
            do throws(ObjectStorageError) {
                _ = try StoreReading(of: try write(bytes, to: store), isUntrusted: true)
                accepted += 1
            } catch {}
            guard try Data(contentsOf: store) == Data(bytes) else {
                throw FaultFinding("trial \(trial): reading a damaged store changed it")
            }
            // As a trusted, writable store.
            do throws(ObjectStorageError) {
                _ = try StoreReading(of: store, isUntrusted: false)
            } catch {}
        }
        let memory = PeakMemory.kibibytes()
        guard memory < memoryLimit else { throw FaultFinding("\(memory) KiB of memory were used") }
        print(accepted, terminator: "")
    }

    /// Writes a store, and removes the files beside it.
    private static func write(_ bytes: [UInt8], to store: URL) throws(ObjectStorageError) -> URL {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(store.path + suffix) }
        do {
            try Data(bytes).write(to: store)
        } catch {
            throw ObjectStorageError(.diskFull, "\(error)")
        }
        return store
    }
}

/// Everything that a program which lists a store reads from it.
private struct StoreReading {
    private(set) var numberOfRows = 0

    init(of store: URL, isUntrusted: Bool) throws(ObjectStorageError) {
        let container = try PersistentContainer(
            url: store,
            options: StoreOptions(
                busyTimeout: 1, isUntrusted: isUntrusted, limits: ForeignStoreOptions.standardLimits))
        let caches = SectionCacheStore(
            directory: store.deletingLastPathComponent().appending(path: "no caches"),
            options: .init(isReadOnly: true))
        for entity in container.model.entities {
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>(
                    entityName: entity.name, sortDescriptors: [.ascending("objectID")]),
                context: container.newContext(), sectionNameKeyPath: nil, cacheName: "c", cacheStore: caches)
            _ = try controller.lookUpCache()
            try controller.performFetch()
            guard let objects = controller.fetchedObjects else { continue }
            for object in objects {
                for property in entity.attributes {
                    // A value of a wrong type is an error of that value alone.
                    _ = try? object.value(forProperty: property.name)
                }
            }
            numberOfRows += objects.count
        }
    }
}
