import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// A store is monitored only as long as a context needs external changes.
@Suite(.timeLimit(.minutes(30))) struct MonitoringLifetimeTests {
    let library: Library
    let container: PersistentContainer

    init() throws {
        library = try Library()
        container = library.container
    }

    /// Waits until a condition holds.
    private func wait(until condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Returns the targets of this process's open descriptors.
    private static func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { number in
            // The descriptor that listed the directory is closed by now.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) ?? ""
        }
    }

    /// Returns the number of threads with a name in this process, which runs other tests at the same time.
    private static func threads(named name: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { number in
            // A thread may end in the meantime.
            (try? String(contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8)) == name + "\n"
        }
    }

    @Test func `a store is not monitored before a context needs external changes`() throws {
        let context = container.newContext()
        _ = Work(context: context)
        try context.save()
        _ = try context.fetch(FetchRequest<Work>())
        try context.mergePendingChanges()
        try context.mergeChangesFromStore()
        #expect(!container.isMonitoringStore)
    }

    @Test func `contexts share one monitor, which ends with the last of them`() throws {
        var contexts = (0..<2).map { _ in container.newContext() }
        contexts[0].automaticallyMergesChanges = true
        weak let monitor = container.monitorStore()
        #expect(monitor != nil)
        contexts[1].automaticallyMergesChanges = true
        #expect(container.monitorStore() === monitor)
        contexts[0].automaticallyMergesChanges = false
        #expect(container.monitorStore() === monitor)
        contexts.removeAll()
        #expect(monitor == nil)
        #expect(!container.isMonitoringStore)
    }

    @Test func `monitoring ends when a listener stops or is released`() async throws {
        let context = container.newContext()
        context.automaticallyMergesChanges = true
        #expect(container.isMonitoringStore)
        context.automaticallyMergesChanges = false
        #expect(!container.isMonitoringStore)
        do {
            let arrivals = context.remoteChangeNotifications
            #expect(container.isMonitoringStore)
            withExtendedLifetime(arrivals) {}
        }
        #expect(!container.isMonitoringStore)
        do {
            let other = container.newContext()
            other.automaticallyMergesChanges = true
            let arrivals = other.remoteChangeNotifications
            withExtendedLifetime(other) {}
            withExtendedLifetime(arrivals) { #expect(container.isMonitoringStore) }
        }
        #expect(!container.isMonitoringStore)
        let task = Task { @MainActor [container] in await container.newContext().mergeContinuously() }
        try await wait { container.isMonitoringStore }
        task.cancel()
        try await wait { !container.isMonitoringStore }
    }

    @Test func `a monitor that ends closes its files and ends its thread`() async throws {
        // SQLite opens the write-ahead log on the first read.
        _ = container.monitorStore()
        let path = library.directory.url.resolvingSymlinksInPath().path
        let before = try Self.openFiles().count { $0.hasPrefix(path) }
        for _ in 0..<1_000 { #expect(container.monitorStore() != nil) }
        #expect(!container.isMonitoringStore)
        // Other tests monitor their stores at the same time, but fewer than 100.
        try await wait { try Self.threads(named: "StoreMonitor") < 100 }
        try await wait { try Self.openFiles().count { $0.contains("inotify") } < 100 }
        #expect(try Self.openFiles().count { $0.hasPrefix(path) } == before)
    }

    @Test func `a released container does not keep its store open`() async throws {
        let directory = try TemporaryDirectory()
        do {
            let container = try PersistentContainer(
                url: directory.file("a.sqlite"), model: Library.model())
            let context = container.newContext()
            context.automaticallyMergesChanges = true
            _ = Work(context: context)
            try context.save()
        }
        // The last connection removes the write-ahead log.
        try await wait {
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a.sqlite"]
        }
    }

    #if os(Linux) || os(Android)
    @Test(arguments: [
        ("/", false), ("/data", false), ("/data/shared", true), ("/data/shared/deep/er", true),
        ("/data/sharedness", false), ("/my files", true), ("/data/shared/local", false), ("/host", true),
    ])
    func `a directory that other machines may write to is recognized by its mount`(
        directory: String, isShared: Bool
    ) {
        // In the format of proc(5).
        let mounts = #"""
            21 1 8:1 / / rw,relatime shared:1 - ext4 disk1 rw
            22 21 0:40 / /data/shared rw,relatime shared:2 master:3 - nfs4 server:/export rw
            23 21 0:41 / /my\040files rw - fuse.sshfs other: rw
            24 22 8:2 / /data/shared/local rw - ext4 disk2 rw
            25 21 8:3 / /host rw - ext4 disk3 rw
            26 25 0:42 / /host rw - 9p host rw
            """#
        #expect(StoreLocation.isShared(directory, mounts: mounts) == isShared)
    }
    #endif
}
