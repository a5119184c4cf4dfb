import ArgumentParser
import BenchmarkSupport
import Dispatch
import Foundation
import SectionedFetch

/// Measures how soon a commit of another program is noticed, and what it costs to wait for one.
struct MonitoringMeasurement: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "noticing",
        abstract: "Measures how soon a commit of the sqlite3 shell is noticed, and what waiting costs.")

    @Option(help: "How many commits the shell makes.")
    var commits = 200

    @Option(help: "How long to wait for nothing, in seconds.")
    var idleSeconds = 10

    func validate() throws {
        guard commits > 0, idleSeconds >= 0 else {
            throw ValidationError("--commits must be at least 1, --idle-seconds at least 0.")
        }
    }

    func run() throws {
        do {
            for kind in [ExternalChangeMonitor.Kind.files, .regular] {
                let folder = try WorkFolder(path: nil, isKept: false, name: "noticing")
                defer { folder.removeIfTemporary() }
                try measure(kind, in: folder.url)
            }
        } catch {
            Progress.note("object-benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    private func measure(_ kind: ExternalChangeMonitor.Kind, in folder: URL) throws {
        let url = folder.appending(path: "tracks.sqlite")
        let container = try PersistentContainer(url: url, model: ManagedObjectModel(types: Track.self))
        let context = container.newContext()
        let clock = ContinuousClock()
        var watch: ExternalChangeMonitor?
        let begun = clock.measure { watch = container.monitorStore(kind) }
        let arrivals = context.remoteChangeNotifications
        let arrived = DispatchSemaphore(value: 0)
        let listening = Task { for await _ in arrivals { arrived.signal() } }
        defer { listening.cancel() }
        let shell = try Shell(store: url)
        var milliseconds: [Double] = []
        for number in 1...commits {
            // At every phase of the watcher's rhythm, and after its last look.
            Thread.sleep(forTimeInterval: Double(number % 20) * 0.013)
            let elapsed = try clock.measure {
                try shell.run("INSERT INTO Track DEFAULT VALUES;")
                arrived.wait()
            }
            milliseconds.append(elapsed / .milliseconds(1))
            try context.mergePendingChanges()
        }
        try shell.end()
        let before = Self.processorMilliseconds()
        Thread.sleep(forTimeInterval: Double(idleSeconds))
        let idle = Self.processorMilliseconds() - before
        withExtendedLifetime(watch) {}
        milliseconds.sort()
        let place = { (part: Double) in milliseconds[Int(part * Double(milliseconds.count - 1))] }
        print(
            String(
                format:
                    "%@: noticed after %.2f ms in the median, %.2f at the 95th percentile, %.2f at most; to begin took %.3f ms, and %d s of waiting %.2f ms of the processor",
                kind == .files ? "by the files" : "regularly", place(0.5), place(0.95), place(1),
                begun / .milliseconds(1), idleSeconds,
                idle))
    }

    /// The processor time that this process has used.
    private static func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// The `sqlite3` shell at work on a store, in a process of its own.
private final class Shell {
    private let process = Process()
    private let input = Pipe()

    init(store: URL) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", store.path]
        process.standardInput = input
        try process.run()
    }

    /// Has a statement run, and does not wait for it.
    func run(_ sql: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n".utf8))
    }

    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
