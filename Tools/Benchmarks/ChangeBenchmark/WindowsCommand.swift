import ArgumentParser
import BenchmarkSupport
import Foundation
import SectionedFetch

/// `change-benchmark windows`: measures following changes of lists with a limit and an offset.
struct WindowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "windows",
        abstract: "Measures following changes of windows: saves with a controller, above saves without one.")

    @Option(help: "The number of rows of the table.")
    var rows = 1_000_000

    @Option(help: "The limit.")
    var limit = 100

    @Option(help: "The number of saves of each number of rows.")
    var saves = 20

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    func run() throws {
        let loadBefore = MachineLoad.now
        var (measured, quantities): ([Ratio], [MeasuredQuantity]) = ([], [])
        let folder = try WorkFolder(path: nil, isKept: false, name: "windows")
        defer { folder.removeIfTemporary() }
        for order in [ListOrder.indexed, .localized] {
            let store = folder.url.appending(path: "\(order.rawValue).store").path
            Progress.note("Creating a store of \(rows) songs …")
            try Preparation.makeStore(store, order: order, rows: rows, batchSize: 1_000)
            for offset in [0, rows / 2] {
                let found = try measure(order, offset: offset, store: store)
                measured += found.ratios
                quantities += found.quantities
            }
        }
        // The thresholds are those of windows from the middle.
        if let ratios { try Ratio.write(measured.filter { $0.conditions["offset"] != 0 }, to: ratios) }
        if let json {
            let load = MachineLoad(before: loadBefore, after: MachineLoad.now)
            try BenchmarkDocument(
                program: "change-benchmark windows", load: load, quantities: quantities, ratios: measured
            ).write(to: json)
        }
    }

    /// The number of changes that determine how a window is followed, and are not measured.
    private static let warmUp = 3

    /// Measures the changes of one window.
    ///
    /// - Returns: The times of saves with a controller and without one, and their ratios.
    private func measure(
        _ order: ListOrder, offset: Int, store: String
    ) throws -> (quantities: [MeasuredQuantity], ratios: [Ratio]) {
        var request = order.request
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        let container = try PersistentContainer(url: URL(filePath: store), model: .songs())
        let (context, alone) = (container.newContext(), container.newContext())
        let listener = WindowListener()
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: order.sectionKey)
        controller.delegate = listener
        try controller.performFetch()
        var (found, quantities): ([Ratio], [MeasuredQuantity]) = ([], [])
        for count in [1, 1_000] {
            let times = try FollowedSaves(saves, after: Self.warmUp, of: context, besides: alone) {
                round, writer in
                for number in 0..<count {
                    let position = (round * 7_919 + number * 977) % rows
                    let song = try writer.existingObject(
                        with: ObjectID(entityName: "Song", primaryKey: Int64(position + 1)))
                    if let song = song as? Song { song.title = String(song.title.reversed()) }
                }
            }
            let conditions = ["rows": rows, "limit": limit, "offset": offset, "changed": count]
            found.append(
                Ratio(
                    "windows.\(order.rawValue).\(count == 1 ? "row" : "rows")-to-save", times.followed.median,
                    by: times.bare.median, under: conditions))
            quantities += [
                MeasuredQuantity(
                    "windows.\(order.rawValue).followed", order.title, times.followed, under: conditions),
                MeasuredQuantity(
                    "windows.\(order.rawValue).bare", order.title, times.bare, under: conditions),
            ]
            print(
                "\(order.title), \(limit) rows from \(offset), \(count) changed: \(times.above.threeDigits) ms above a save without a controller (\(times.bare.median.threeDigits) ms); \(listener.changes) changes reported"
            )
        }
        let fetched = try container.newContext().fetch(request).map(\.objectID)
        guard controller.fetchedObjects?.map(\.objectID) == fetched else {
            throw SampleError("the window differs from a fetched one")
        }
        return (quantities, found)
    }
}

/// A delegate that counts the changes.
private final class WindowListener: FetchedResultsControllerDelegate {
    typealias Object = Song
    var changes = 0

    func controller(
        _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
    ) { changes += 1 }
}
