import Foundation
import SectionedFetch
import Testing

/// Stores that Litestream replicates and restores.
@Suite(.enabled(if: Litestream.isAvailable, Litestream.reason), .timeLimit(.minutes(30)))
struct LitestreamTests {
    private func replicated(_ test: String = #function) throws -> (ReplicatedStore, Litestream) {
        let store = try ReplicatedStore(test)
        return (store, Litestream(replica: store.folder.appending(path: "ltx")))
    }

    @Test func `a restored store with a copied cache is a hit`() throws {
        let (store, litestream) = try replicated()
        // Litestream's tables are younger than the caches.
        try litestream.replicate(store.primary.store)
        try litestream.restore(to: store.replica.store)
        try store.copyCaches()
        #expect(try store.replica.start()?.isCurrent == true)
        #expect(try store.primary.start()?.isCurrent == true)
        let tables = try ForeignProgram.run([".tables"], store: store.replica.store)
        #expect(tables.contains("_litestream_seq") && tables.contains("_litestream_lock"))
    }

    @Test func `restored stores are never stale`() throws {
        let (store, litestream) = try replicated()
        var hits = 0
        for round in 0..<20 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            let isStamped = try store.editAtRandom(comment)
            try litestream.replicate(store.primary.store)
            try litestream.restore(to: store.replica.store)
            let copiesCaches = try store.copyCachesAtRandom()
            let lookup = try store.replica.start(comment)
            #expect(try store.replica.expectedRows() == store.primary.expectedRows(), comment)
            if isStamped && copiesCaches { #expect(lookup?.isCurrent == true, comment) }
            if lookup?.isCurrent == true { hits += 1 }
            #expect(try store.replica.start(comment)?.isCurrent == true, comment)
            // A replica that is restored the next time may have been written in between.
            if round % 5 == 4 {
                try ForeignProgram.run(["DELETE FROM Artwork WHERE objectID < 9"], store: store.replica.store)
                try store.replica.start(comment)
            }
        }
        #expect(hits > 0)
    }

    @Test func `a running Litestream causes at most one miss on the primary`() throws {
        let (store, litestream) = try replicated()
        let program = try litestream.startReplicating(store.primary.store)
        defer {
            program.terminate()
            program.waitUntilExit()
        }
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '\\_litestream%' ESCAPE '\\'"
        while try ForeignProgram.run([sql], store: store.primary.store) != "2" {
            try #require(program.isRunning)
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(try store.primary.start()?.isCurrent == true)
        for round in 0..<6 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            try store.edit()
            try store.primary.start(comment)
            #expect(try store.primary.start(comment)?.isCurrent == true, comment)
        }
        #expect(program.isRunning)
    }

    @Test func `a store that is restored while it is open keeps its rows until it is opened again`() throws {
        let (store, litestream) = try replicated()
        try litestream.replicate(store.primary.store)
        try litestream.restore(to: store.replica.store)
        for round in 0..<6 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            let context = try store.replica.container().newContext()
            let open = try store.replica.controller(in: context)
            try open.performFetch()
            open.settle()
            try context.mergeOthersChanges()
            let before = try store.replica.expectedRows()
            for _ in 0..<4 { try store.edit() }
            try litestream.replicate(store.primary.store)
            try litestream.restore(to: store.replica.store)
            #expect(open.rows == before, comment)
            // Until it is opened again, it has the earlier state or reports the replacement.
            do throws(ObjectStorageError) {
                try open.performFetch()
                #expect(open.rows == before, comment)
            } catch {
                #expect(error.code == .storeReplaced, comment)
            }
            #expect(throws: ObjectStorageError.self, comment) { try context.mergeOthersChanges() }
            open.settle()
            try store.replica.start(comment)
            #expect(try store.replica.expectedRows() == store.primary.expectedRows(), comment)
        }
    }
}
