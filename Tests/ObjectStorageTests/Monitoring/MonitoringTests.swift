import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// Commits of other programs are detected while the program runs. The other program is the `sqlite3` shell.
@Suite(.timeLimit(.minutes(30))) struct MonitoringTests {
    let library: Library
    let context: ManagedObjectContext
    let work: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = Work(context: context)
        work.title = "ours"
        _ = Shelf(context: context)
        try context.save()
    }

    /// Returns the combined changes that arrive, up to and including those of an entity.
    private func changes(
        in context: ManagedObjectContext, until entityName: String = "Shelf"
    ) async throws -> StoreChanges {
        var changes = StoreChanges()
        for await _ in context.remoteChangeNotifications {
            changes.append(try context.mergePendingChanges())
            if changes.changedEntityNames.contains(entityName) { break }
        }
        return changes
    }

    /// Inserts a shelf with the shell and returns the changes up to its arrival, which include earlier
    /// commits.
    private func changesBeforeShelves() async throws -> StoreChanges {
        try library.runElsewhere("INSERT INTO Shelf (label) VALUES ('theirs')")
        return try await changes(in: context)
    }

    @Test(arguments: [ExternalChangeMonitor.Kind.files, .regular])
    func `rows that the shell writes arrive without a request`(
        kind: ExternalChangeMonitor.Kind
    ) async throws {
        let monitor = try #require(library.container.monitorStore(kind))
        defer { withExtendedLifetime(monitor) {} }
        context.automaticallyMergesChanges = true
        for number in 1...5 {
            try library.runElsewhere("UPDATE Work SET title = 'theirs', pages = \(number)")
            let changes = try await changes(in: context, until: "Work")
            #expect(changes.updatedObjectIDs == [work.objectID])
            #expect(work.pages == number)
        }
        try library.runElsewhere("INSERT INTO Work (title) VALUES ('new')")
        #expect(try await changes(in: context, until: "Work").changedEntityNames == ["Work"])
        try library.runElsewhere("DELETE FROM Work")
        #expect(try await changes(in: context, until: "Work").deletedObjectIDs == [work.objectID])
    }

    @Test func `commits of the container's own contexts are not reported as external changes`() async throws {
        context.automaticallyMergesChanges = true
        for number in 1...50 {
            work.pages = Int16(number)
            try context.save()
            try await library.container.performBackgroundTask { other in
                for work in try other.fetch(FetchRequest<Work>()) { work.year = Int32(number) }
                let author = Author(context: other)
                author.name = "\(number)"
                try other.save()
            }
        }
        let changes = try await changesBeforeShelves()
        #expect(changes.changedEntityNames == ["Shelf"])
        #expect(changes.insertedObjectIDs.count == 50)
    }

    @Test func `a table that the library stamps is not reported again`() async throws {
        context.automaticallyMergesChanges = true
        try library.runElsewhere("UPDATE Work SET title = 'theirs'")
        #expect(try await changes(in: context, until: "Work").changedEntityNames == ["Work"])
        let other = library.container.newContext()
        _ = Author(context: other)
        try other.save()
        try library.container.repairTracking(of: ["Author"])
        #expect(try await changesBeforeShelves().changedEntityNames == ["Shelf"])
    }

    @Test
    func `a commit of the library does not hide the shell's commits before and after it`() async throws {
        context.automaticallyMergesChanges = true
        let other = library.container.newContext()
        try library.runElsewhere("UPDATE Work SET title = 'theirs'")
        _ = Work(context: other)
        try other.save()
        #expect(try await changesBeforeShelves().changedEntityNames == ["Shelf", "Work"])
        _ = Work(context: other)
        try other.save()
        try library.runElsewhere("UPDATE Work SET title = 'theirs as well'")
        _ = Work(context: other)
        try other.save()
        #expect(try await changesBeforeShelves().changedEntityNames.contains("Work"))
        #expect(work.title == "theirs as well")
    }

    @Test
    func `commits of another process with this library arrive and are not reported again`() async throws {
        try context.mergeChangesFromStore()
        context.automaticallyMergesChanges = true
        // A second container represents another process, because containers are independent of each other.
        let theirs = try PersistentContainer(
            url: library.directory.file("library.sqlite"), model: Library.model()
        ).newContext()
        for work in try theirs.fetch(FetchRequest<Work>()) { work.title = "theirs" }
        try theirs.save()
        let changes = try await changes(in: context, until: "Work")
        #expect(changes.updatedObjectIDs == [work.objectID])
        #expect(work.title == "theirs")
        #expect(try context.mergeChangesFromStore().isEmpty)
    }

    @Test(arguments: ["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
    func `a checkpoint alone is not reported`(mode: String) async throws {
        context.automaticallyMergesChanges = true
        try library.runElsewhere("PRAGMA wal_checkpoint(\(mode))")
        #expect(try await changesBeforeShelves().changedEntityNames == ["Shelf"])
    }

    @Test func `a table without its triggers is reported with every commit`() async throws {
        context.automaticallyMergesChanges = true
        try library.runElsewhere("DROP TRIGGER sc_Work_update; UPDATE Work SET pages = 1")
        _ = try await changes(in: context, until: "Work")
        #expect(work.pages == 1)
        for pages in 2...3 as ClosedRange<Int16> {
            try library.runElsewhere("UPDATE Work SET pages = \(pages)")
            let changes = try await changes(in: context, until: "Work")
            #expect(changes.changedEntityNames == ["Work"])
            #expect(work.pages == pages)
        }
    }

    @Test func `a restored store is reported`() async throws {
        let copy = library.directory.file("copy.sqlite").path
        try library.runElsewhere("VACUUM INTO '\(copy)'")
        work.title = "changed since"
        try context.save()
        context.automaticallyMergesChanges = true
        try library.runElsewhere(".restore '\(copy)'")
        _ = try await changes(in: context, until: "Work")
        #expect(work.title == "ours")
    }

    @Test func `a store that is opened read-only is monitored, and one in memory is not`() async throws {
        let model = try Library.model()
        let reading = try PersistentContainer(
            url: library.directory.file("library.sqlite"), model: model,
            options: StoreOptions(isReadOnly: true)
        ).newContext()
        reading.automaticallyMergesChanges = true
        try library.runElsewhere("UPDATE Work SET title = 'theirs'")
        #expect(try await changes(in: reading, until: "Work").changedEntityNames == ["Work"])

        let memory = try PersistentContainer(inMemoryWith: model)
        let listening = memory.newContext()
        listening.automaticallyMergesChanges = true
        #expect(!memory.isMonitoringStore)
        _ = try memory.write { try $0.table("Shelf").insert([.text("a")]) }
        #expect(try await changes(in: listening).changedEntityNames == ["Shelf"])
    }

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func `an application's own database is monitored in every journal mode`(mode: String) async throws {
        let url = library.directory.file("application.sqlite")
        let queue = try DatabaseQueue(path: url.path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
        let context = try PersistentContainer(writer: queue, model: Library.model()).newContext()
        context.automaticallyMergesChanges = true
        try await queue.write { try $0.execute(sql: "INSERT INTO Work (title) VALUES ('the application')") }
        #expect(try await changes(in: context, until: "Work").changedEntityNames == ["Work"])
        try Library.runElsewhere("PRAGMA busy_timeout = 5000; DELETE FROM Work", path: url.path)
        #expect(try await changes(in: context, until: "Work").changedEntityNames == ["Work"])
    }
}
