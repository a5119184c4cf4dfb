import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Replicas that are copies of the store's file.
@Suite struct CopiedReplicaTests {
    /// A method of making the copy.
    enum Method: String, CaseIterable {
        case backup, backupOver, vacuumInto, copiedAndRenamed, copiedInPlace

        /// Whether the copy has the version stamps of the original, so that a copied cache is a hit.
        var keepsStamps: Bool { self == .copiedAndRenamed || self == .copiedInPlace }

        /// Makes `replica` a copy of `primary`, which no program has open.
        func copy(_ primary: URL, to replica: URL) throws {
            let files = FileManager.default
            switch self {
            case .backup:
                try? files.removeItem(at: replica)
                try ForeignProgram.run([".backup '\(replica.path)'"], store: primary)
            case .backupOver: try ForeignProgram.run([".backup '\(replica.path)'"], store: primary)
            case .vacuumInto:
                try? files.removeItem(at: replica)
                try ForeignProgram.run(["VACUUM INTO '\(replica.path)'"], store: primary)
            case .copiedAndRenamed:
                let temporary = replica.appendingPathExtension("new")
                try files.copyItem(at: primary, to: temporary)
                #expect(rename(temporary.path, replica.path) == 0)
            case .copiedInPlace:
                let handle =
                    files.fileExists(atPath: replica.path)
                    ? try FileHandle(forWritingTo: replica) : nil
                if handle == nil { try files.copyItem(at: primary, to: replica) }
                try handle?.write(contentsOf: Data(contentsOf: primary))
                try handle?.truncate(atOffset: handle?.offset() ?? 0)
                try handle?.close()
            }
        }
    }

    @Test(arguments: Method.allCases)
    func `copies are never stale, and hits if they keep the stamps`(method: Method) throws {
        let store = try ReplicatedStore("\(method)")
        var hits = 0
        for round in 0..<12 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            let isStamped = try store.editAtRandom(comment)
            try method.copy(store.primary.store, to: store.replica.store)
            let copiesCaches = try store.copyCachesAtRandom()
            let lookup = try store.replica.start(comment)
            #expect(try store.replica.expectedRows() == store.primary.expectedRows(), comment)
            if lookup?.isCurrent == true { hits += 1 }
            if isStamped && copiesCaches { #expect(lookup?.isCurrent == method.keepsStamps, comment) }
            // The replica's own first start stamps the copy.
            #expect(try store.replica.start(comment)?.isCurrent == true, comment)
            try store.primary.start(comment)
        }
        #expect(method.keepsStamps ? hits > 0 : hits == 0, "seed \(store.seed)")
    }

    @Test(arguments: [Method.backup, .vacuumInto])
    func `a copy without stamps that is opened read-only is computed at each start`(method: Method) throws {
        let store = try ReplicatedStore("\(method)", replicaOptions: StoreOptions(isReadOnly: true))
        try method.copy(store.primary.store, to: store.replica.store)
        try store.copyCaches()
        for _ in 0..<2 {
            guard case .miss(.dirty)? = try store.replica.start() else {
                Issue.record("a start on the copy is not the miss that its tables have no stamps")
                return
            }
        }
    }

    @Test(.enabled(if: Program.rsync.isAvailable, "SKIPPED: rsync is not on the search path."))
    func `a replica of rsync is a hit, and is never stale`() throws {
        try expectReplicas(by: .rsync, in: ReplicatedStore(), areHits: true)
    }

    @Test(.enabled(if: Program.sqliteRsync.isAvailable, "SKIPPED: sqlite3_rsync is not on the search path."))
    func `a replica of sqlite3_rsync is never stale`() throws {
        try expectReplicas(
            by: .sqliteRsync, in: ReplicatedStore(replicaOptions: StoreOptions(isReadOnly: true)),
            areHits: false)
    }

    private func expectReplicas(by program: Program, in store: ReplicatedStore, areHits: Bool) throws {
        for round in 0..<8 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            try store.edit()
            try store.primary.start(comment)
            try program.run([store.primary.store.path, store.replica.store.path])
            try store.copyCaches()
            let lookup = try store.replica.start(comment)
            if areHits { #expect(lookup?.isCurrent == true, comment) }
            #expect(try store.replica.expectedRows() == store.primary.expectedRows(), comment)
        }
    }
}

/// A program that is run if the system has it.
private enum Program: String {
    case rsync
    case sqliteRsync = "sqlite3_rsync"

    var isAvailable: Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(rawValue)")
        }
    }

    func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [rawValue] + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
