import Foundation
import GRDB
import InternalUtilities

/// A detector of external changes of the store, which delivers them to the contexts of the container.
///
/// The mark of the connection (``CommitVersion``) is different after each commit. The states of the tables
/// distinguish the container's own commits from those of others: each own commit records the states that it
/// creates and the states that it replaces before another connection can read them. A table whose state does
/// not follow from own commits alone was changed externally.
///
/// A dirty table has no state to compare, so any commit may have changed it: an unnecessary report is better
/// than a missing one. In a store without tracking no table has a state; there the writing connection
/// determines whether only itself has committed.
final class ExternalChangeDetector: Sendable {
    fileprivate struct State {
        /// The last snapshot; nil before the first look, and after a failed one.
        var seen: StoreVersionSnapshot?
        /// Whether looks fail, and the failure has been delivered.
        var isBlind = false
        /// The identity of the open file; nil after its replacement has been delivered.
        var file: FileIdentity?
        /// The states that own commits created, by the states that they replaced.
        var ownStates: [[UInt8]: [UInt8]] = [:]
        /// The states that own commits gave to tables that were dirty but otherwise as in the last snapshot.
        var stampedStates: [String: [UInt8]] = [:]
        /// Without tracking: `data_version` of the writing connection at a time when all commits of others
        /// had been delivered. Nil while it is unknown.
        var foreignVersion: StoredValue?
        /// Whether ``ExternalChangeDetector/begin()`` has recorded the initial snapshot.
        var hasBegun = false
    }

    /// The limit of recorded own states that no look has found. They belong to commits that failed, or that
    /// were followed by commits of other programs; beyond the limit they are discarded.
    private static let maximumOwnStates = 1_000

    private let state = LockedValue(State())
    private let monitoringConnection: MonitoringConnection
    private weak let connections: StoreConnections?
    private let mailboxes: MailboxRegistry
    private let model: ManagedObjectModel
    private let tableNames: [String]
    private let isTracked: Bool
    private let history: ChangeHistory?
    private let path: String

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file.
    ///   - history: The history of changes that another program keeps in an untracked store.
    ///   - monitoringConnection: The connection for snapshots.
    init(
        path: String, model: ManagedObjectModel, isTracked: Bool, connections: StoreConnections,
        mailboxes: MailboxRegistry, history: ChangeHistory? = nil,
        through monitoringConnection: MonitoringConnection
    ) {
        self.path = path
        self.monitoringConnection = monitoringConnection
        self.connections = connections
        self.mailboxes = mailboxes
        self.model = model
        self.isTracked = isTracked
        self.history = isTracked ? nil : history
        tableNames = model.tableNames + model.linkTables.map(\.name)
    }

    /// Records the initial snapshot without delivering anything: later looks compare with it. If it cannot be
    /// read now, the first successful look reports that everything changed.
    ///
    /// Several threads may begin at once. The first recorded snapshot is used: all were read after the call.
    /// No thread waits for another one, which may itself wait for a connection that the caller holds.
    func begin() {
        guard !state.withLock({ $0.hasBegun }) else { return }
        let file = FileIdentity(ofFileAt: path)
        // Read first, so that a commit in between counts as not yet delivered.
        let foreignVersion = isTracked ? nil : try? connections?.foreignVersion()
        let seen = try? snapshot(after: nil)
        state.withLock { state in
            guard !state.hasBegun else { return }
            (state.file, state.seen, state.foreignVersion) = (file, seen, foreignVersion)
            state.hasBegun = true
        }
    }

    /// Takes a snapshot and delivers external changes.
    ///
    /// If another connection holds the store's lock, the look is postponed to the next one. Any other failure
    /// is delivered once as a change of everything: a context that merges it gets the error itself, and can
    /// report it.
    func look() {
        lookForFile()
        let previous = state.withLock { $0.seen }
        do {
            guard let seen = try snapshot(after: previous) else { return }
            let isUnannounced = seen.mark.changeCount != previous?.mark.changeCount
            let isOwn = try !isTracked && hasCommittedAlone() && !isUnannounced
            mailboxes.deliver(take(seen, after: previous, isOwn: isOwn))
            if isTracked, let previous, previous.schemaVersion != seen.schemaVersion {
                confirmStampedSchemas()
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return
        } catch {
            let isNew = state.withLock { state in
                defer { state.isBlind = true }
                state.seen = nil
                return !state.isBlind
            }
            if isNew { mailboxes.deliver(StoreChanges(changedEntityNames: Set(model.entities.map(\.name)))) }
        }
    }

    /// Continues the log across a change of the schema, if the store can be written now.
    private func confirmStampedSchemas() {
        _ = try? connections?.writeDeferringCommit { database in
            try ChangeTracking.confirmStampedSchemas(in: database)
            return Never?.none
        }
    }

    /// Delivers an error, once, if the path leads to another file.
    ///
    /// SQLite continues to use the file that it opened, and the container continues to read it: a new file
    /// beside the old one's log cannot be opened safely.
    private func lookForFile() {
        let file = FileIdentity(ofFileAt: path)
        let isReplaced = state.withLock { state in
            guard let previous = state.file, previous != file else { return false }
            state.file = nil
            return true
        }
        guard isReplaced else { return }
        mailboxes.deliver(ReadConnection.replaced(path))
    }

    private func snapshot(after previous: StoreVersionSnapshot?) throws -> StoreVersionSnapshot? {
        try monitoringConnection.look { database in
            try StoreVersionSnapshot(
                after: previous, of: tableNames, isTracked: isTracked,
                history: history.map { ($0, model) }, through: monitoringConnection, in: database)
        } ?? nil
    }

    /// Returns whether all commits since the last call were made on the writing connection.
    private func hasCommittedAlone() throws -> Bool {
        let version = try connections?.foreignVersion()
        return state.withLock { state in
            defer { state.foreignVersion = version }
            return version != nil && version == state.foreignVersion
        }
    }

    /// Records a snapshot and returns the external changes.
    ///
    /// - Parameter isOwn: Whether it is known that no other program committed.
    private func take(_ seen: StoreVersionSnapshot, after previous: StoreVersionSnapshot?, isOwn: Bool)
        -> StoreChanges
    {
        state.withLock { state in
            var changes = StoreChanges()
            // With tracking, a table whose changes may have been missed has no state.
            let hasOwnSchema = isTracked || previous?.schemaVersion == seen.schemaVersion
            if let listed = seen.listedChanges, !isOwn {
                (state.seen, state.isBlind) = (seen, false)
                return listed
            }
            for (name, after) in seen.states {
                let before = previous?.state(of: name)
                let isOwn = isOwn || state.follows(after, before, tableName: name)
                guard !(isOwn && hasOwnSchema) else { continue }
                changes.changedEntityNames.formUnion(model.namesOfEntities(readingTableNamed: name))
                if let before, let after {
                    changes.tables.append(TableTransition(tableName: name, before: before, after: after))
                }
            }
            state.seen = seen
            state.isBlind = false
            if state.ownStates.count > Self.maximumOwnStates { state.ownStates = [:] }
            return changes
        }
    }
}

extension ExternalChangeDetector {
    /// Records the states that a transaction of this container is about to commit. Called before the commit,
    /// while the transaction has the write lock, so that no look can read the states first; the states of a
    /// failed commit are never found.
    ///
    /// - Parameter isAsSeen: The result of ``isAsSeen(in:)`` at the beginning of the transaction.
    func expect(_ tables: [TableTransition], isAsSeen: Bool) {
        state.withLock { state in
            for table in tables {
                guard let after = table.after else { continue }
                if let before = table.before {
                    state.ownStates[before] = after
                } else if isAsSeen {
                    state.stampedStates[table.tableName] = after
                }
            }
        }
    }

    /// Records a commit in a store without tracking. From the first such commit on, the writing connection is
    /// open and can be queried.
    ///
    /// - Parameter database: The writing connection.
    func expectCommit(in database: any StatementSource) throws {
        guard state.withLock({ $0.foreignVersion }) == nil, isAsSeen(in: database) else { return }
        let version = try database.dataVersionValue()
        state.withLock { $0.foreignVersion = version }
    }

    /// Returns whether nothing was committed since the last look, as seen at the beginning of a transaction
    /// that has the write lock.
    ///
    /// - Parameter database: The connection of the transaction.
    func isAsSeen(in database: any StatementSource) -> Bool {
        guard let seen = state.withLock({ $0.seen?.mark }) else { return false }
        do {
            return try monitoringConnection.markBesideWrite(in: database) == seen
        } catch {
            // False at most causes one unnecessary report.
            return false
        }
    }
}

extension ExternalChangeDetector.State {
    /// Returns whether a table reached its state by own commits alone.
    fileprivate mutating func follows(_ after: [UInt8]?, _ before: [UInt8]?, tableName: String) -> Bool {
        let stamped = stampedStates.removeValue(forKey: tableName)
        guard let after, var state = before ?? stamped else { return false }
        while state != after {
            guard let next = ownStates.removeValue(forKey: state) else { return false }
            state = next
        }
        return true
    }
}
