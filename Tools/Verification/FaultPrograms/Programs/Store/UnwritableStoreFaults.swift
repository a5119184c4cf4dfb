import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Stores in whose directory SQLite can create no file: on a read-only and on a full file system, with and
/// without a write-ahead log. All committed rows must be readable, and nothing may be written.
enum UnwritableStoreFaults: FaultProgram {
    static let name = "unwritable-stores"
    static let rows = ["A-40"]
    static let summary =
        "reads stores on read-only and on full file systems, with and without rows in their write-ahead logs"
    static let releaseCount = 400
    static let mutants: [Mutant] = [.logIgnored]
    static let huntCount = 12

    private enum Medium: String, CaseIterable { case readOnly, full }
    private enum Log: String, CaseIterable { case none, alone, withIndex }

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(Namespaces.mounting)
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let folder = run.folder.appending(path: "\(trial)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let medium = Medium.allCases[trial % 2]
            let log = Log.allCases[trial / 2 % 3]
            let arguments = [folder.path, medium.rawValue, log.rawValue, "\(generator.next() >> 1)"]
            let end = try run.child(arguments, launcher: Namespaces.mounting)
            guard end.status == 0 else {
                throw FaultFinding("\(medium) medium, log \(log): \(end.errors)")
            }
            run.note(end.output.contains("refused") ? .refused : .right)
            try FileManager.default.removeItem(at: folder)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let medium = Medium(rawValue: arguments[1]),
            let log = Log(rawValue: arguments[2]), let seed = UInt64(arguments[3])
        else { throw FaultFinding("\(arguments)") }
        var generator = SeededGenerator(seed: seed)
        let folder = URL(filePath: arguments[0])
        let disk = folder.appending(path: "disk")
        let shown = folder.appending(path: "shown")
        for url in [disk, shown] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        guard medium == .full else {
            let count = try fill(disk, folder, log, using: &generator)
            try Namespaces.mountReadOnly(disk.path, at: shown.path)
            defer { Namespaces.unmount(shown.path) }
            try check(shown, folder, rows: count)
            return try checkChange(from: disk, to: shown, folder, rows: count)
        }
        let fileSystem = FaultDisk.memory(kibibytes: 1_024)
        try fileSystem.mounted(at: disk.path) {
            let count = try fill(disk, folder, log, using: &generator)
            fileSystem.fill(disk.path, leaving: 0)
            try check(disk, folder, rows: count)
        }
    }

    /// Puts the files of a store into a folder, as the last program closed them or as a killed one left them.
    ///
    /// - Returns: The number of committed rows.
    private static func fill(
        _ disk: URL, _ folder: URL, _ log: Log, using generator: inout SeededGenerator
    ) throws -> Int {
        var count = Int.random(in: 1...200, using: &generator)
        let list = try GrowingList.make(in: folder, rows: count)
        try DatabaseQueue(path: list.url.path).writeWithoutTransaction {
            _ = try $0.checkpoint(.truncate)
        }
        let other = try DatabaseQueue(path: list.url.path)
        if log != .none {
            let more = Int.random(in: 1...100, using: &generator)
            // The read lock of the queue keeps the writing connection from a checkpoint of the log when it
            // closes.
            try other.inDatabase { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM Song") }
            try list.grow(by: more)
            count += more
        }
        let suffixes =
            switch log {
            case .none: [""]
            case .alone: ["", "-wal"]
            case .withIndex: ["", "-wal", "-shm"]
            }
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: list.url.path + suffix, toPath: disk.appending(path: "list.db" + suffix).path)
        }
        try other.close()
        return count
    }

    /// Reads the list with each kind of options, and checks that changes fail.
    private static func check(_ directory: URL, _ folder: URL, rows count: Int) throws {
        let url = directory.appending(path: "list.db")
        let list = GrowingList(at: url, caches: folder.appending(path: "caches"))
        let allOptions = [
            StoreOptions(), StoreOptions(isReadOnly: true), StoreOptions(connections: .pool),
            StoreOptions(isUntrusted: true),
        ]
        for options in allOptions {
            let container = try PersistentContainer(url: url, options: options)
            try expect(count, list, container)
            let context = container.newContext()
            let song = try context.insert(entityNamed: "Song")
            for name in ["part", "place", "plays"] {
                try song.setValue(.integer(0), forProperty: name)
            }
            do {
                try context.save()
                throw FaultFinding("a row was saved in a store that cannot be written")
            } catch let error as ObjectStorageError {
                guard [.storeReadOnly, .diskFull, .storeMissing].contains(error.code) else {
                    throw FaultFinding("a save fails as \(error.code.rawValue): \(error)")
                }
            }
            context.rollback()
            try expect(count, list, container)
        }
    }

    private static func expect(
        _ count: Int, _ list: GrowingList, _ container: PersistentContainer
    ) throws {
        let caches = list.caches()
        let controller = try list.controller(in: container.newContext(), caches: caches)
        try controller.performFetch()
        let objects = controller.fetchedObjects
        let found = (controller.sections ?? nil)?.map {
            $0.rows.map { objects?[$0].objectID.primaryKey ?? 0 }
        }
        let expected = GrowingList.keys(rows: count).filter { !$0.isEmpty }
        guard found == expected else {
            throw FaultFinding("the list of \(count) committed rows shows \(found.map { "\($0)" } ?? "none")")
        }
        guard caches.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
    }

    /// Changes the store as another program. The list must show the change, or be refused.
    private static func checkChange(
        from disk: URL, to shown: URL, _ folder: URL, rows count: Int
    ) throws {
        let list = GrowingList(
            at: shown.appending(path: "list.db"), caches: folder.appending(path: "caches"))
        let container = try list.container()
        try expect(count, list, container)
        // Connections of one process share the index that SQLite could only open read-only.
        guard
            try SQLiteShell.run([GrowingList.growth(by: 3)], on: disk.appending(path: "list.db")) != nil
        else { throw FaultFinding("another program cannot write the store") }
        do {
            try expect(count + 3, list, container)
        } catch let error as ObjectStorageError where error.code == .storeChanged {
            print("refused")
        }
        try expect(count + 3, list, list.container())
    }
}
