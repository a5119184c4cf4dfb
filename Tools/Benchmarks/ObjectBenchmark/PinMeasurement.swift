import ArgumentParser
import BenchmarkSupport
import Foundation
import SectionedFetch

/// Measures the cost of a context that is pinned to one state of its store.
struct PinMeasurement: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract:
            "Measures fetches of a pinned context, the copy for unsaved changes, and the growth of the log.",
        discussion: """
            The fetches of a pinned context and of one that is not pinned take turns. The log is the write-ahead log of SQLite, \
            after saves of ten rows each, with and without a pinned context.
            """)

    @Option(help: "The number of rows in the store.")
    var rows = 100_000

    @Option(help: "The number of samples of each method.")
    var samples = 21

    @Option(help: "The number of saves during which the log grows.")
    var saves = 1_000

    func validate() throws {
        guard rows >= 10, samples > 0, saves > 0 else {
            throw ValidationError("--rows must be at least 10, and --samples and --saves at least 1.")
        }
    }

    func run() throws {
        do {
            let folder = try WorkFolder(path: nil, isKept: false, name: "pins")
            defer { folder.removeIfTemporary() }
            let sample = try PinSample(folder, rows: rows)
            let (plain, pinned) = try sample.fetches(samples)
            print(line("a fetch of 50 rows, not pinned", plain))
            print(line("a pin and the same fetch", pinned))
            print(line("a pin and the same fetch with an unsaved change", try sample.rehearsals(samples)))
            for isPinned in [false, true] {
                let bytes = try sample.growth(saves: saves, isPinned: isPinned)
                let title = "the log after \(saves) saves, \(isPinned ? "pinned" : "not pinned")"
                print("\(padded(title))\((bytes / 1_024).grouped) KiB")
            }
        } catch {
            Progress.note("object-benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    private func line(_ title: String, _ times: [Double]) -> String {
        let spread = Spread(times)
        return padded(title) + String(format: "%.3f ms (least %.3f)", spread.median, spread.minimum)
    }

    private func padded(_ title: String) -> String {
        title.padding(toLength: 56, withPad: " ", startingAt: 0)
    }
}

/// A store of numbered rows.
private struct PinSample {
    private let store: URL
    private let model: ManagedObjectModel
    private let container: PersistentContainer

    final class Entry: ManagedObject {
        @Attribute(.indexed) var number: Int64 = 0
        @Attribute var text: String = ""
    }

    init(_ folder: WorkFolder, rows: Int) throws {
        store = folder.url.appending(path: "pins.sqlite")
        model = try ManagedObjectModel(types: Entry.self)
        container = try PersistentContainer(url: store, model: model)
        let numbers = (0..<rows).lazy.map { number in
            ["number": StoredValue.integer(Int64(number)), "text": .text("entry number \(number)")]
        }
        try container.newContext().batchInsert(Entry.self, rows: numbers)
    }

    /// Fetches the first rows by their numbers.
    private func fetch(_ context: ManagedObjectContext) throws {
        let request = FetchRequest<Entry>(sortDescriptors: [.ascending(\.number)], fetchLimit: 50)
        guard try context.fetch(request).count >= 10 else { throw BenchmarkError("Rows are missing.") }
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        try body()
        return Double(watch.elapsed) / 1e6
    }

    /// Returns the times of fetches that are not pinned, and of pinned ones.
    func fetches(_ samples: Int) throws -> (plain: [Double], pinned: [Double]) {
        var (plain, pinned): ([Double], [Double]) = ([], [])
        for _ in 0..<samples {
            let context = container.newContext()
            plain.append(try milliseconds { try fetch(context) })
            let other = container.newContext()
            pinned.append(
                try milliseconds {
                    try other.setQueryGeneration(from: .current)
                    try fetch(other)
                })
        }
        return (plain, pinned)
    }

    /// Returns the times of pinned fetches with an unsaved change.
    func rehearsals(_ samples: Int) throws -> [Double] {
        try (0..<samples).map { _ in
            let context = container.newContext()
            try context.insert(Entry.self).number = -1
            return try milliseconds {
                try context.setQueryGeneration(from: .current)
                try fetch(context)
            }
        }
    }

    /// Returns the size of the write-ahead log after a number of saves, in bytes.
    func growth(saves: Int, isPinned: Bool) throws -> Int {
        let context = container.newContext()
        if isPinned {
            try context.setQueryGeneration(from: .current)
            try fetch(context)
        }
        // Another connection, which makes SQLite's automatic checkpoints after a thousand pages, as far as
        // the pin allows.
        let writer = try PersistentContainer(url: store, model: model).newContext()
        for number in 0..<saves {
            let request = FetchRequest<Entry>(
                predicate: \.number >= Int64(number * 7), sortDescriptors: [.ascending(\.number)],
                fetchLimit: 10)
            for entry in try writer.fetch(request) { entry.text += "." }
            try writer.save()
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")
        withExtendedLifetime(context) {}
        return (attributes[.size] as? Int) ?? 0
    }
}
