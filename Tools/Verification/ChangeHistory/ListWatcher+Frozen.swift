import Foundation
import SectionedFetch

/// Results without a delegate, which changes after their fetch must leave as they were.
extension ListWatcher {
    /// A controller whose rows nothing has read, and the rows of its fetch.
    struct FrozenResults {
        let controller: Controller
        let rows: [[ObjectID]]
        /// The number of changes reported before the fetch.
        let changes: Int
    }

    /// The number of changes that frozen results are kept for.
    private static let ageInChanges = 4

    /// Keeps frozen results for a later check, unless earlier ones are kept.
    func keepFrozen(_ controller: Controller, rows: [[ObjectID]]) {
        guard frozen == nil else { return }
        frozen = FrozenResults(controller: controller, rows: rows, changes: counts["changes", default: 0])
    }

    /// Checks that every access to the rows of frozen results gives the rows of the fetch.
    func checkFrozenResults() {
        guard let frozen, counts["changes", default: 0] >= frozen.changes + Self.ageInChanges else { return }
        self.frozen = nil
        let controller = frozen.controller
        guard let sections = controller.sections, let objects = controller.fetchedObjects,
            let snapshot = controller.snapshot
        else { return fail("frozen results have no sections, objects or snapshot") }
        let bySection = sections.map { section in section.objects.map(\.plainID) }
        if bySection != frozen.rows {
            fail("frozen sections have the rows \(bySection) instead of \(frozen.rows)")
        }
        if objects.map(\.plainID) != Array(frozen.rows.joined()) { fail("frozen objects are different ones") }
        if snapshot.map({ $0.map { $0.plain } }) != frozen.rows {
            fail("a snapshot of frozen results has different rows")
        }
        for (section, rows) in frozen.rows.enumerated() where !rows.isEmpty {
            let path: IndexPath = [section, rows.count - 1]
            let object = controller.object(at: path)
            if object.plainID != rows.last { fail("another object at \(path) of frozen results") }
            if object.readError == nil, controller.indexPath(for: object) != path {
                fail("the last row of frozen section \(section) is found at another path")
            }
        }
        count("frozen results")
    }
}
