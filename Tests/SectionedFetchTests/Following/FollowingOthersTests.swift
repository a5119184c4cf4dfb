import Foundation
import SectionedFetch
import Testing

/// A controller on an actor reports the commits of other programs without a call by the application.
@Suite(.timeLimit(.minutes(30))) @MainActor struct FollowingOthersTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let recorder = Recorder()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
    }

    private func controller(cacheName: CacheName? = nil) throws -> FetchedResultsController<Item> {
        try workshop.controller(cacheName: cacheName, in: context)
    }

    private func wait(until condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test(arguments: [nil, "items"] as [CacheName?])
    func `a row that the sqlite3 shell inserts is reported automatically`(cacheName: CacheName?)
        async throws
    {
        let controller = try controller(cacheName: cacheName)
        controller.delegate = recorder
        try controller.performFetch()
        try workshop.runElsewhere(#"INSERT INTO Item ("group", rank) VALUES ('a', 9)"#)
        try await wait { !recorder.calls.isEmpty }
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(controller.sections?.map(\.numberOfObjects) == [3, 1])
        try workshop.runElsewhere("UPDATE Item SET rank = 7 WHERE rank = 1; DELETE FROM Item WHERE rank = 3")
        try await wait { !recorder.calls.isEmpty }
        #expect(
            recorder.take() == ["will", "section deletion", "row deletion", "row move", "did", "with 3"])
        #expect(items[0].rank == 7)
    }

    @Test(
        arguments: [nil, "items"] as [CacheName?],
        [
            "CREATE INDEX others ON Item (note)", "ANALYZE", "CREATE TABLE others (a)",
            "CREATE TABLE passing (a); DROP TABLE passing",
        ])
    func `neither a schema change that touches no row nor a later insertion is a reload`(
        cacheName: CacheName?, sql: String
    ) async throws {
        let controller = try controller(cacheName: cacheName)
        controller.delegate = recorder
        try controller.performFetch()
        try workshop.runElsewhere(sql)
        let confirmed = """
            SELECT count(*) FROM sc_gen JOIN sc_epoch ON gen = id AND sc_epoch.seq = sc_gen.seq, pragma_schema_version
            WHERE tbl = 'Item' AND schema LIKE '%/' || schema_version || '/%'
            """
        let store = workshop.url.appending(path: "store.sqlite")
        try await wait { try ForeignProgram.run([confirmed], store: store) == "1" }
        #expect(recorder.calls.isEmpty)
        try workshop.runElsewhere(#"INSERT INTO Item ("group", rank) VALUES ('a', 9)"#)
        try await wait { !recorder.calls.isEmpty }
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
    }

    @Test func `a sequence of changes delivers another program's commit as well`() async throws {
        let controller = try controller()
        let changes = controller.changes
        try controller.performFetch()
        try workshop.runElsewhere("UPDATE Item SET note = 1 WHERE rank = 2")
        for await change in changes {
            #expect(change.events.count == 1)
            break
        }
    }

    @Test func `commits of other contexts are reported once`() async throws {
        let controllers = try [controller(), controller()]
        let recorders = [Recorder(), Recorder()]
        for (controller, recorder) in zip(controllers, recorders) {
            controller.delegate = recorder
            try controller.performFetch()
        }
        try await workshop.container.performBackgroundTask { other in
            for item in try other.fetch(FetchRequest<Item>(predicate: \.rank == 1)) { item.rank = 9 }
            try other.save()
        }
        try await wait { recorders.allSatisfy { !$0.calls.isEmpty } }
        for recorder in recorders { #expect(recorder.take() == ["will", "row move", "did", "with 1"]) }
    }

    @Test func `changes that cannot be followed are an error, and are followed later`() async throws {
        let controller = try controller()
        controller.delegate = recorder
        try controller.performFetch()
        try workshop.runElsewhere("UPDATE Item SET note = 5; ALTER TABLE Item RENAME TO Elsewhere")
        try await wait { recorder.calls.contains { $0.hasPrefix("error") } }
        #expect(controller.trackingError != nil)
        #expect(controller.fetchedObjects?.count == 3)
        try workshop.runElsewhere("ALTER TABLE Elsewhere RENAME TO Item")
        // The rows that changed around a schema change are unknown.
        try await wait { recorder.calls.last == "reload with 4" }
        #expect(controller.trackingError == nil)
        #expect(items.map(\.note) == [5, 5, 5])
    }

    @Test func `a file that replaces the store's stays an error and is not written to`()
        async throws
    {
        let controller = try controller()
        controller.delegate = recorder
        try controller.performFetch()
        let copy = workshop.url.appending(path: "copy.sqlite")
        try workshop.runElsewhere("VACUUM INTO '\(copy.path)'")
        try #require(rename(copy.path, workshop.url.appending(path: "store.sqlite").path) == 0)
        try await wait { recorder.calls == ["error storeReplaced"] }
        items[0].note = 1
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .storeReplaced)
        #expect(recorder.take() == ["error storeReplaced"])
        #expect(controller.trackingError?.code == .storeReplaced)
    }

    @Test func `changes that a lock kept from being followed are followed after its release`() async throws {
        let workshop = try Workshop(options: StoreOptions(busyTimeout: 0.05))
        let context = workshop.container.newContext()
        let controller = try workshop.controller(in: context)
        controller.delegate = recorder
        try controller.performFetch()
        let shell = try LockingShell(workshop.url.appending(path: "store.sqlite"))
        // Evaluating unsaved changes takes the lock for a moment.
        Item(context: context).group = "a"
        try context.processPendingChanges()
        #expect(recorder.take() == ["error storeLocked"])
        #expect(controller.trackingError?.code == .storeLocked)
        // The shell commits nothing, so no change event arrives.
        shell.end()
        try await wait { recorder.calls.contains("did") }
        #expect(
            recorder.take().filter { $0 != "error storeLocked" } == [
                "will", "section insertion", "row insertion", "did", "with 2",
            ])
        #expect(controller.trackingError == nil)
    }

    @Test func `the store is not monitored for controllers that are released or have no listener`()
        async throws
    {
        let container = workshop.container
        do {
            let controller = try controller()
            try controller.performFetch()
            #expect(!container.isMonitoringStore)
            controller.delegate = recorder
            try controller.performFetch()
            #expect(container.isMonitoringStore)
        }
        try await wait { !container.isMonitoringStore }
        let controller = try controller()
        do {
            let passing = Recorder()
            controller.delegate = passing
            try controller.performFetch()
            withExtendedLifetime(passing) { #expect(container.isMonitoringStore) }
        }
        try workshop.runElsewhere("UPDATE Item SET note = 5")
        try await wait { !container.isMonitoringStore }
    }

    @Test nonisolated func `without an actor, nothing is merged automatically`() throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)]), context: context)
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        #expect(!workshop.container.isMonitoringStore)
        withExtendedLifetime(recorder) {}
    }
}

/// A `sqlite3` shell in a write transaction.
private final class LockingShell {
    private let process = Process()
    private let input = Pipe()

    /// Starts the shell and returns when it holds the lock.
    init(_ store: URL) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-cmd", ".timeout 10000", store.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE;\n.system echo locked\n".utf8))
        try #require(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "locked\n")
    }

    /// Releases the lock without writing anything.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
