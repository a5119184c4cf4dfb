import BenchmarkSupport
import Dispatch
import Foundation
import GRDB
import Synchronization

/// The same list, kept by GRDB's `ValueObservation`: after each commit all keys and sections are fetched in
/// order and compared with the previous ones.
struct ObservationSample {
    /// A store without triggers.
    let store: String
    let rows: Int
    let count: Int
    let rounds: Int
    let seed: UInt64
    let difference: ListDifference

    private static let sql = "SELECT objectID, section FROM Song ORDER BY section, title, objectID"

    func run() throws {
        let pool = try DatabasePool(path: store)
        let observer = Observer(difference)
        // A constant region allows the pool to fetch while the writer continues, which is the fastest way.
        let observation = ValueObservation.trackingConstantRegion { database in
            var listed: [ListedRow] = []
            listed.reserveCapacity(rows + rows / 8)
            let cursor = try GRDB.Row.fetchCursor(database, sql: Self.sql)
            while let row = try cursor.next() { listed.append(ListedRow(id: row[0], section: row[1])) }
            guard let mark = observer.mark else { return Listing(rows: listed, mark: nil) }
            let title = try String.fetchOne(
                database, sql: "SELECT title FROM Song WHERE objectID = ?", arguments: [mark.key])
            return Listing(rows: listed, mark: title == mark.title ? mark : nil)
        }
        let cancellable = observation.start(
            in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observer")),
            onError: { observer.fail("\($0)") }, onChange: { observer.take($0) })
        defer { cancellable.cancel() }
        _ = try observer.wait()
        var maker = ChangeMaker(seed: seed, rows: rows, count: count)
        var times: [Double] = []
        var numberFound = 0
        for round in 0...rounds {
            let change = maker.next(.move)
            observer.expect(Observer.Mark(key: change.keys[0], title: change.titles[0]))
            let watch = Stopwatch()
            try pool.write { database in
                let statement = try database.cachedStatement(
                    sql: "UPDATE Song SET title = ?, section = ? WHERE objectID = ?")
                for (key, title) in zip(change.keys, change.titles) {
                    try statement.execute(arguments: [title, SongChange.section(of: title), key])
                }
            }
            let found = try observer.wait()
            let elapsed = Double(watch.elapsed) / 1e6
            guard found <= change.keys.count else {
                throw SampleError("the difference for \(change.keys.count) moves has \(found) rows")
            }
            numberFound += found
            // The first change is a warm-up.
            if round > 0 { times.append(elapsed) }
        }
        // In a small list, a single row may happen to keep its position.
        guard numberFound > 0 else { throw SampleError("no difference has a moved row") }
        print(String(decoding: try JSONEncoder().encode(times), as: UTF8.self))
    }
}

/// The rows of one fetch.
private struct Listing: Sendable {
    let rows: [ListedRow]
    /// The mark of the change that the rows contain; nil for other rows.
    let mark: Observer.Mark?
}

/// Compares each list that GRDB delivers with the previous one.
///
/// A pool may fetch the first list twice, so a delivery need not contain the change. A title from the change
/// identifies the delivery that does.
private final class Observer: Sendable {
    /// A row value that identifies a change.
    struct Mark: Hashable, Sendable {
        let key: Int64
        let title: String
    }

    private struct State {
        var listed: [ListedRow]?
        var mark: Mark?
        var isWaiting = true
        var found = 0
        /// Whether the methods of comparison were checked against each other, which happens for the warm-up
        /// change.
        var isChecked = false
        var failure: String?
    }

    private let difference: ListDifference
    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    init(_ difference: ListDifference) { self.difference = difference }

    var mark: Mark? { state.withLock { $0.mark } }

    /// Starts to wait for a change.
    func expect(_ mark: Mark) {
        state.withLock { state in
            state.mark = mark
            state.isWaiting = true
            state.found = 0
        }
    }

    func take(_ listing: Listing) {
        let isArrival = state.withLock { state in
            let isArrival = state.isWaiting && listing.mark == state.mark
            if let old = state.listed {
                state.found += difference.count(from: old, to: listing.rows)
                if isArrival, !state.isChecked {
                    state.failure = Self.disagreement(from: old, to: listing.rows)
                    state.isChecked = true
                }
            }
            state.listed = listing.rows
            if isArrival { state.isWaiting = false }
            return isArrival
        }
        if isArrival { arrival.signal() }
    }

    private static func disagreement(from old: [ListedRow], to new: [ListedRow]) -> String? {
        let counts = ListDifference.allCases.map { $0.count(from: old, to: new) }
        return Set(counts).count == 1
            ? nil : "the methods to compare two lists find different numbers of rows: \(counts)"
    }

    func fail(_ failure: String) {
        state.withLock { $0.failure = failure }
        arrival.signal()
    }

    /// Waits for the change, and returns the number of rows with another position or section.
    func wait() throws -> Int {
        guard arrival.wait(timeout: .now() + 600) == .success else {
            throw SampleError("the observation delivered no change within 600 seconds")
        }
        return try state.withLock { state in
            if let failure = state.failure { throw SampleError(failure) }
            return state.found
        }
    }
}
