import Foundation
import GRDB
import InternalUtilities

/// Finds out whether somebody else changed the store, and tells the contexts of the container.
///
/// The mark of the connection (``CommitVersion``) differs after each commit. The states of the tables tell the
/// container's own commits from those of others: each own commit notes the states that it makes and those that
/// it replaces before another connection can read them. A table whose state does not follow from own commits
/// alone was changed elsewhere.
///
/// A table that is not stamped has no state to compare, so any commit may have changed it: once too often is
/// better than once too few. Where no table has a state, the connection that writes tells whether anybody but
/// it has committed.
final class ExternalChangeDetector: Sendable {
    fileprivate struct State {
        /// What was seen last; nil before the first look, and after one that failed.
        var seen: StoreVersionSnapshot?
        /// Whether looking fails, and everybody was told.
        var isBlind = false
        /// Which file it is that is open; nil when everybody was told that it is no longer there.
        var file: FileIdentity?
        /// The states that our own commits made, by those that they replaced.
        var ownStates: [[UInt8]: [UInt8]] = [:]
        /// The states that our own commits gave to tables that were not stamped but otherwise as last seen.
        var stampedStates: [String: [UInt8]] = [:]
        /// Without tracking: `data_version` of the connection that writes, when nobody else had committed
        /// anything that was not told. Nil while that is not known.
        var foreignVersion: StoredValue?
        /// Whether ``ExternalChangeDetector/begin()`` saw how things stand.
        var hasBegun = false
    }

    /// Beyond this number of own states that no look found they are forgotten. They are those of commits that
    /// failed, or were followed by somebody else's.
    private static let maximumOwnStates = 1_000

    private let state = LockedValue(State())
    private let monitoringConnection: MonitoringConnection
    private weak let connections: StoreConnections?
    private let mailboxes: MailboxRegistry
    private let model: ManagedObjectModel
    private let tableNames: [String]
    private let isTracked: Bool
    private let path: String

    /// - Parameters:
    ///   - path: The store's file.
    ///   - monitoringConnection: The connection to look through.
    init(
        path: String, model: ManagedObjectModel, isTracked: Bool, connections: StoreConnections,
        mailboxes: MailboxRegistry, through monitoringConnection: MonitoringConnection
    ) {
        self.path = path
        self.monitoringConnection = monitoringConnection
        self.connections = connections
        self.mailboxes = mailboxes
        self.model = model
        self.isTracked = isTracked
        tableNames = model.tableNames + model.linkTables.map(\.name)
    }

    /// Sees how things stand, and tells nobody: what comes is compared with this. If it cannot be seen now,
    /// the first look that can takes everything for changed.
    ///
    /// Several threads may begin at once. The first that has seen something is the one that counts: all saw it
    /// after they were asked to. None waits for another, which may be waiting for the connection that the
    /// caller has.
    func begin() {
        guard !state.withLock({ $0.hasBegun }) else { return }
        let file = FileIdentity(ofFileAt: path)
        // First, so that what is committed in between counts as not yet told.
        let foreignVersion = isTracked ? nil : try? connections?.foreignVersion()
        let seen = try? snapshot(after: nil)
        state.withLock { state in
            guard !state.hasBegun else { return }
            (state.file, state.seen, state.foreignVersion) = (file, seen, foreignVersion)
            state.hasBegun = true
        }
    }

    /// Looks, and delivers what somebody else changed.
    ///
    /// A store that somebody is holding the lock of is looked at the next time. Where looking fails in
    /// another way, everything is said to have changed, once: whoever merges that meets the failure himself,
    /// and can tell somebody.
    func look() {
        lookForFile()
        let former = state.withLock { $0.seen }
        do {
            guard let seen = try snapshot(after: former) else { return }
            let isOwn = try !isTracked && hasCommittedAlone()
            mailboxes.deliver(take(seen, after: former, isOwn: isOwn))
            if isTracked, let former, former.schemaVersion != seen.schemaVersion { confirmStampedSchemas() }
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

    /// Has the log reach over what is written after a change of the schema, if the store can be written now.
    private func confirmStampedSchemas() {
        _ = try? connections?.writeDeferringCommit { database in
            try ChangeTracking.confirmStampedSchemas(in: database)
            return Never?.none
        }
    }

    /// Tells everybody, once, when the path leads to another file than it did.
    ///
    /// SQLite goes on with the file that it opened, and the container reads it: a new file beside the log of
    /// the old one cannot be opened safely.
    private func lookForFile() {
        let file = FileIdentity(ofFileAt: path)
        let isReplaced = state.withLock { state in
            guard let former = state.file, former != file else { return false }
            state.file = nil
            return true
        }
        guard isReplaced else { return }
        mailboxes.deliver(ReadConnection.replaced(path))
    }

    private func snapshot(after former: StoreVersionSnapshot?) throws -> StoreVersionSnapshot? {
        try monitoringConnection.look { database in
            try StoreVersionSnapshot(
                after: former, of: tableNames, isTracked: isTracked, through: monitoringConnection,
                in: database)
        } ?? nil
    }

    /// Whether all that was committed since it was last asked was committed on the connection that writes.
    private func hasCommittedAlone() throws -> Bool {
        let version = try connections?.foreignVersion()
        return state.withLock { state in
            defer { state.foreignVersion = version }
            return version != nil && version == state.foreignVersion
        }
    }

    /// Notes what was seen, and gives what somebody else changed.
    ///
    /// - Parameter isOwn: Whether it is known that nobody else committed anything.
    private func take(_ seen: StoreVersionSnapshot, after former: StoreVersionSnapshot?, isOwn: Bool)
        -> StoreChanges
    {
        state.withLock { state in
            var changes = StoreChanges()
            // With tracking a table whose changes may have gone unnoticed has no state.
            let hasOwnSchema = isTracked || former?.schemaVersion == seen.schemaVersion
            for (name, after) in seen.states {
                let before = former?.state(of: name)
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
    /// Leaves word of what a transaction of ours is about to commit. Called before the commit, while it has
    /// the write lock, so that no look can see the states first; those of a commit that then fails are never
    /// seen.
    ///
    /// - Parameter isAsSeen: What ``isAsSeen(in:)`` gave at the beginning of the transaction.
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

    /// The same in a store without tracking. From the first such commit on the connection that writes is open,
    /// and can be asked.
    ///
    /// - Parameter database: That connection.
    func expectCommit(in database: any StatementSource) throws {
        guard state.withLock({ $0.foreignVersion }) == nil, isAsSeen(in: database) else { return }
        let version = try database.dataVersionValue()
        state.withLock { $0.foreignVersion = version }
    }

    /// Whether nothing was committed since the last look, as seen from the beginning of a transaction that has
    /// the write lock.
    ///
    /// - Parameter database: The connection that the transaction is on.
    func isAsSeen(in database: any StatementSource) -> Bool {
        guard let seen = state.withLock({ $0.seen?.mark }) else { return false }
        do {
            return try monitoringConnection.markBesideWrite(in: database) == seen
        } catch {
            // Nothing depends on it but a report too many.
            return false
        }
    }
}

extension ExternalChangeDetector.State {
    /// Whether a table's state was arrived at by our own commits alone.
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
