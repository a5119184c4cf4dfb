#if canImport(Glibc)
import Foundation
import ObjectStorage
import CheckSupport
import Testing

@Suite struct ThreadShortageTests {
    @Test func `a stamp is committed at once if no thread can be created`() async throws {
        await #expect(processExitsWith: .success) {
            // Ends the process if it waits forever for a thread.
            alarm(60)
            let library = try Library()
            let context = library.container.newContext()
            _ = Work(context: context)
            try context.save()
            try library.runElsewhere("UPDATE Work SET title = 'theirs'")
            let other = try PersistentContainer(
                url: library.directory.file("library.sqlite"), options: StoreOptions(busyTimeout: 0.05))
            let request = FetchRequest<ManagedObject>(entityName: "Work").description
            let compiled = try library.container.compile(request, columns: .keys)
            ThreadShortage.begin()
            let stamped = try library.container.newContext().withStampedSnapshot(
                of: request, compiled, stamping: compiled.tableNames
            ) { _ in 7 }
            #expect(stamped?.result == 7)
            #expect(stamped?.commit.wait() == true)
            let others = other.newContext()
            _ = try others.insert(entityNamed: "Shelf")
            try others.save()
        }
    }

    @Test func `a monitor that cannot start is reported once and can be started later`() async throws {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let library = try Library()
            let context = library.container.newContext()
            ThreadShortage.begin()
            context.automaticallyMergesChanges = true
            #expect(!library.container.isMonitoringStore)
            let error = #expect(throws: ObjectStorageError.self) { try context.mergePendingChanges() }
            #expect(error?.code == .storeUnwatched)
            #expect(throws: Never.self) { try context.mergePendingChanges() }
            ThreadShortage.end()
            context.automaticallyMergesChanges = true
            #expect(library.container.isMonitoringStore)
        }
    }
}
#endif
