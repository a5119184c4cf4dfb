import Foundation
import SectionedFetch

/// What was: the results before the first event, and snapshots that are read when the results are others by
/// far.
extension ListWatcher {
    /// A snapshot that nobody has read, and what it had when it was taken.
    struct FormerResults {
        let snapshot: ResultsSnapshot<ManagedObject>
        let objectIDs: [[ObjectID]]
        /// How many changes there were by then.
        let changes: Int
    }

    /// How many changes a snapshot is kept for.
    private static let ageInChanges = 3

    /// Checks that rows are found where they are shown, and shown where they are found.
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

    /// Keeps the results as they are now for later.
    func keep(_ controller: Controller) {
        guard former == nil, let snapshot = controller.snapshot else { return }
        former = FormerResults(
            snapshot: snapshot, objectIDs: state.objectIDs, changes: counts["changes", default: 0])
    }

    /// Checks that a snapshot has the rows that it had some changes ago.
    func checkFormerResults(_ controller: Controller) {
        guard let former, counts["changes", default: 0] >= former.changes + Self.ageInChanges else { return }
        self.former = nil
        let rows = former.snapshot.map { $0.map { $0 } }
        if rows == former.objectIDs { return count("former snapshots") }
        fail("a snapshot has other rows than it had: \(rows) instead of \(former.objectIDs)")
    }
}
