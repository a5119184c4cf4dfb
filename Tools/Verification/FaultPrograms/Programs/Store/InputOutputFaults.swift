import Foundation
import GRDBSQLite
import SectionedFetch
import Mutants
import CheckSupport

/// Reads, writes, locks and maps of SQLite that fail. The error must be passed on, and no cache may report a
/// hit instead.
enum InputOutputFaults: FaultProgram {
    static let name = "sqlite-faults"
    static let rows = ["A-10"]
    static let summary =
        "fails SQLite's n-th read, write, truncation, sync, size, lock or map, once or from then on, in opening, saving and fetching"
    static let releaseCount = 20_000
    static let mutants: [Mutant] = [.readErrorAsEnd]
    /// The number of trials of a call of which at least one must reach the call; otherwise the program tests
    /// nothing.
    private static let trialsToMeet = 30

    static func run(_ run: inout FaultRun) throws {
        FaultyFileSystem.register()
        defer { FaultyFileSystem.unregister() }
        var stores = SongStoreSeries(trialsPerStore: 40, songs: 120)
        var tried: [FaultyFileSystem.Call: Int] = [:]
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (store, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew {
                // Wide rows, so that a list occupies many pages.
                try store.write("UPDATE \(store.tables.songs) SET title = title || hex(zeroblob(500))")
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            if Bool.random(using: &generator) {
                try store.write(SongWrite.random(store.tables, using: &generator))
            }
            if trial % 10 == 9 { try store.write(SongWrite.refill(store.tables, using: &generator)) }
            // SQLite does not open the file again while another connection of the process has it open.
            if Bool.random(using: &generator) { try store.closeOther() }
            // A running program reads again only the changes of others.
            let running = Bool.random(using: &generator) ? try store.container() : nil
            if let running {
                try store.start(list, in: running, after: "nothing")
                try store.write(
                    "UPDATE \(store.tables.songs) SET year = \(trial), genre = genre || '\(trial % 7)' WHERE \(store.tables.key) % 2 = 0"
                )
            }
            let fault = fault(atMost: running == nil ? 60 : 40, using: &generator)
            tried[fault.call, default: 0] += 1
            let saves = Bool.random(using: &generator)
            var seed = generator
            let controller: FetchedResultsController<ManagedObject>?
            do throws(ObjectStorageError) {
                controller = try ObjectStorageFault.passing {
                    try FaultyFileSystem.failing(fault) {
                        let container = try running ?? store.container()
                        if saves {
                            let context = container.newContext()
                            try KillWork.change(context, using: &seed)
                            try context.save()
                        }
                        if fault.call == .truncate {
                            // With a write-ahead log, nothing else truncates a file.
                            try container.runMaintenance("PRAGMA wal_checkpoint(TRUNCATE)")
                        }
                        let controller = try store.controller(of: list, in: container)
                        try controller.performFetch()
                        return controller
                    }
                }
                run.note(SongStore.outcome(controller?.cacheLookup))
            } catch {
                controller = nil
                run.note(.refused)
            }
            if let controller {
                let found = SongStore.sections(of: controller)
                let expected = try store.oracle().sections(of: list)
                guard found == expected else {
                    throw FaultFinding(
                        "after \(fault): the list \(list) shows \(SongStore.difference(found, expected)) (\(controller.cacheLookup.map { "\($0)" } ?? ""))"
                    )
                }
                guard controller.cacheStore.waitForWrites(upTo: 30) else {
                    throw FaultFinding("a save to the cache does not end")
                }
            }
            try store.start(list, after: "\(fault), which has ended")
            if trial % 4 == 0 {
                try store.start(list, mustHit: true, after: "\(fault), which has ended, and a fetch")
            }
        }
        for (call, count) in tried
        where count >= trialsToMeet && FaultyFileSystem.numberOfFailures[call] == nil {
            throw FaultFinding("no \(call) was reached in \(count) trials")
        }
    }

    private static func fault(
        atMost number: Int, using generator: inout SeededGenerator
    ) -> FaultyFileSystem.Fault {
        let call =
            Bool.random(using: &generator)
            ? .read : FaultyFileSystem.Call.allCases.randomElement(using: &generator) ?? .read
        let isSticky = Bool.random(using: &generator)
        let codes: [Int32] =
            switch call {
            case .open: [SQLITE_CANTOPEN]
            // The extended codes SQLITE_IOERR_READ and so on have the kind in the second byte.
            case .read: [SQLITE_IOERR | 1 << 8]
            case .write: [SQLITE_IOERR | 3 << 8, SQLITE_FULL]
            case .truncate: [SQLITE_IOERR | 6 << 8]
            case .sync: [SQLITE_IOERR | 4 << 8]
            case .size: [SQLITE_IOERR | 7 << 8]
            // A connection that is always refused a lock waits for the whole busy timeout.
            case .lock: isSticky ? [SQLITE_IOERR | 15 << 8] : [SQLITE_IOERR | 15 << 8, SQLITE_BUSY]
            case .map: [SQLITE_IOERR | 21 << 8, SQLITE_NOMEM]
            case .sharedLock: isSticky ? [SQLITE_IOERR | 20 << 8] : [SQLITE_IOERR | 20 << 8, SQLITE_BUSY]
            }
        return FaultyFileSystem.Fault(
            call: call, code: codes.randomElement(using: &generator) ?? SQLITE_IOERR,
            remaining: call == .truncate
                ? 0 : Int.random(in: 0..<(Bool.random(using: &generator) ? 8 : number), using: &generator),
            isSticky: isSticky)
    }
}
