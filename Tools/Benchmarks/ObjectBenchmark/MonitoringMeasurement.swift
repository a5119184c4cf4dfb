import ArgumentParser
import BenchmarkSupport
import Dispatch
import Foundation
import SectionedFetch

/// Measures the time until a commit of another program is detected, and the cost of waiting for one.
struct MonitoringMeasurement: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "noticing",
        abstract:
            "Measures the time until a commit of the sqlite3 shell is detected, and the cost of waiting.")

    @Option(help: "The number of commits of the shell.")
    var commits = 200

    @Option(help: "The number of seconds to wait without commits.")
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
            // The pauses cover all phases of the monitor's interval, and the time after its last check.
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
        let quantile = { (part: Double) in milliseconds[Int(part * Double(milliseconds.count - 1))] }
        print(
            String(
                format:
                    "%@: detected after %.2f ms in the median, %.2f at the 95th percentile, %.2f at most; starting took %.3f ms, and %d s of waiting took %.2f ms of processor time",
                kind == .files ? "by file notifications" : "by polling", quantile(0.5), quantile(0.95),
                quantile(1),
                begun / .milliseconds(1), idleSeconds,
                idle))
    }

    /// Returns the processor time that this process has used.
    private static func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// The `sqlite3` shell on a store, in a separate process.
private final class Shell {
    private let process = Process()
    private let input = Pipe()

    init(store: URL) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", store.path]
        process.standardInput = input
        try process.run()
    }

    /// Sends a statement to the shell, and does not wait for its end.
    func run(_ sql: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n".utf8))
    }

    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
