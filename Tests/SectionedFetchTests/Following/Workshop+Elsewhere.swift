import Foundation
import SectionedFetch

extension Workshop {
    /// Runs SQL in the `sqlite3` shell, which does not know our library.
    func runElsewhere(_ sql: String) throws {
        try ForeignProgram.run([sql], store: url.appending(path: "store.sqlite"))
    }

    /// Inserts items with the ranks from 1,000 on in the shell, in one transaction.
    func insertElsewhere(_ count: Int) throws {
        try runElsewhere(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Item (rank) SELECT 999 + i FROM n
            """)
    }
}

/// Keeps the changes that a delegate is told of.
final class ChangeKeeper: FetchedResultsControllerDelegate {
    typealias Object = Item

    private var changes: [ResultsChange] = []

    /// What was told since the last time: of each change the kinds of its rows' events, or that it is a
    /// reload.
    func take() -> [[String]] {
        defer { changes = [] }
        return changes.map { change in
            change.isReload
                ? ["reload"] : change.rowEvents.map { "\($0.kind) \($0.objectID.primaryKey ?? 0)" }
        }
    }

    /// How many rows of each kind the changes since the last time have, nil for a reload.
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
