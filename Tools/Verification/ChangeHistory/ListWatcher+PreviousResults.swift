import Foundation
import SectionedFetch

/// Previous results: those before the first event of a report, and snapshots that are read several changes
/// later.
extension ListWatcher {
    /// A snapshot of which no row has been read, and the rows that it must have.
    struct PreviousResults {
        let snapshot: ResultsSnapshot<ManagedObject>
        let objectIDs: [[ObjectID]]
        /// The number of changes reported when it was taken.
        let changes: Int
    }

    /// The number of changes for which a snapshot is kept.
    private static let ageInChanges = 3

    /// Checks that `indexPath(for:)` and `objectIfPresent(at:)` agree for some rows.
    func checkPaths(_ controller: Controller, _ shown: ShownResults) {
        for (section, rows) in shown.sections.map(\.rows).enumerated().prefix(4) where !rows.isEmpty {
            for row in Set([0, rows.count / 2, rows.count - 1]) {
                let path: IndexPath = [section, row]
                guard let object = controller.objectIfPresent(at: path), object.plainID == rows[row] else {
                    fail("another object at \(path) before the first event")
                    continue
                }
                let found = controller.indexPath(for: object)
                if found != path {
                    fail("the row at \(path) is found at \(found as Any) before the first event")
                }
            }
        }
    }

    /// Keeps a snapshot of the current results for a later check.
    func keep(_ controller: Controller) {
        guard previous == nil, let snapshot = controller.snapshot else { return }
        previous = PreviousResults(
            snapshot: snapshot, objectIDs: state.objectIDs, changes: counts["changes", default: 0])
    }

    /// Checks that a snapshot still has the rows that it had when it was taken.
    func checkPreviousResults(_ controller: Controller) {
        guard let previous, counts["changes", default: 0] >= previous.changes + Self.ageInChanges else {
            return
        }
        self.previous = nil
        let rows = previous.snapshot.map { $0.map { $0 } }
        if rows == previous.objectIDs { return count("previous snapshots") }
        fail("a snapshot has other rows than it had: \(rows) instead of \(previous.objectIDs)")
    }
}
