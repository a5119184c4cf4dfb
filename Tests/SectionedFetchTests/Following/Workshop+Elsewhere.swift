import Foundation
import SectionedFetch

extension Workshop {
    /// Runs SQL in the `sqlite3` shell, which does not use the library.
    func runElsewhere(_ sql: String) throws {
        try ForeignProgram.run([sql], store: url.appending(path: "store.sqlite"))
    }

    /// Inserts `count` items with ranks from 1,000 in the `sqlite3` shell, in one transaction.
    func insertElsewhere(_ count: Int) throws {
        try runElsewhere(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Item (rank) SELECT 999 + i FROM n
            """)
    }
}

/// A delegate that keeps the changes that a controller reports.
final class ChangeKeeper: FetchedResultsControllerDelegate {
    typealias Object = Item

    private var changes: [ResultsChange] = []

    /// Returns the changes since the last call: for each, the kinds and primary keys of its row events, or
    /// `reload`.
    func take() -> [[String]] {
        defer { changes = [] }
        return changes.map { change in
            change.isReload
                ? ["reload"] : change.rowEvents.map { "\($0.kind) \($0.objectID.primaryKey ?? 0)" }
        }
    }

    /// Returns the number of row events of each kind for each change since the last call, nil for a reload.
    func takeCounts() -> [[ResultsChange.Kind: Int]?] {
        defer { changes = [] }
        return changes.map { change in
            change.isReload ? nil : change.rowEvents.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
        }
    }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeContentWith change: ResultsChange
    ) { changes.append(change) }
}
