import BenchmarkSupport
import Foundation
import SectionedFetch

/// Measures the time until the first screen of a list that no cache has, and until the whole list.
@MainActor struct FirstScreenMeasurement {
    /// The milliseconds until the first screen, and until the whole list.
    let screen: Spread
    let list: Spread

    private static let rows = 50

    /// Measures a number of fetches of a store, to which it adds an index of the order.
    init(of store: String, samples: Int) async throws {
        let container = try Song.container(store)
        try container.runMaintenance("CREATE INDEX song_by_section ON Song (section, title)")
        var (screens, lists): ([Double], [Double]) = ([], [])
        // The first fetch is a warm-up.
        for number in 0...samples {
            let controller = try FetchedResultsController(
                fetchRequest: SongList.bySection, context: container.newContext(),
                sectionNameKeyPath: "section")
            let start = ContinuousClock.now
            let listener = FirstScreenListener()
            controller.delegate = listener
            try await controller.performFetchInBackground(firstScreen: Self.rows)
            let end = ContinuousClock.now
            guard number > 0 else { continue }
            guard listener.time == nil || listener.rows == Self.rows && listener.hasCounts else {
                throw BenchmarkError("The first screen has \(listener.rows) of \(Self.rows) rows.")
            }
            // A short list may come before its first screen.
            screens.append(((listener.time ?? end) - start) / .milliseconds(1))
            lists.append((end - start) / .milliseconds(1))
        }
        (screen, list) = (Spread(screens), Spread(lists))
    }
}

/// A delegate that notes the time of the first screen, and reads its rows.
private final class FirstScreenListener: FetchedResultsControllerDelegate {
    typealias Object = Song
    private(set) var time: ContinuousClock.Instant?
    private(set) var rows = 0
    private(set) var hasCounts = false

    func controller(
        _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
    ) {
        guard let screen = controller.firstScreen else { return }
        rows = controller.fetchedObjects?.count { !$0.title.isEmpty } ?? 0
        hasCounts = !screen.sectionCounts.contains(nil)
        time = .now
    }
}
