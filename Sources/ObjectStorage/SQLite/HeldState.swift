import GRDB
import InternalUtilities
import Synchronization

/// A state of a store that stays readable until this object is released. It may be used from any thread.
final class HeldState: Sendable {
    /// The storage of the state.
    enum Source: Sendable {
        /// A transaction that stays open on a connection.
        case reader(ReadConnection, StoreReaders)
        /// A snapshot of an application's pool.
        case snapshot(DatabaseSnapshot)
        /// A copy of a store in which no transaction can stay open.
        case copy(StoreCopy)
    }

    private let source: Source
    /// The copy to which unsaved changes are written; created on first use.
    private let copy: Mutex<StoreCopy?>

    init(_ source: Source) {
        self.source = source
        let copy: StoreCopy? = if case .copy(let copy) = source { copy } else { nil }
        self.copy = Mutex(copy)
    }

    deinit {
        if case .reader(let reader, let readers) = source { readers.giveBack(reader) }
    }

    /// Whether the connection was configured by the application.
    var isOfApplication: Bool { if case .snapshot = source { true } else { false } }

    /// Whether the state is read from the store's own files.
    var isOfFiles: Bool { if case .reader = source { true } else { false } }

    /// Returns whether other programs cannot write until the state is released.
    func isBlockingWriters() throws -> Bool {
        if case .reader(let reader, _) = source { try !reader.canBeHeldBesideWriters() } else { false }
    }

    /// Interrupts the statement that reads the state, if there is one. The statement then fails.
    func interrupt() {
        switch source {
        case .reader(let reader, _): reader.interrupt()
        case .snapshot(let snapshot): snapshot.interrupt()
        case .copy: break
        }
    }

    /// Runs a closure that reads rows by their keys, or the control tables.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the state is lost.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        try read(isComputing: false, body)
    }

    /// Runs a closure that reads with the SQL functions and collations of requests.
    ///
    /// - Throws: As ``read(_:)``.
    func readComputing<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        try read(isComputing: true, body)
    }

    private func read<Result>(
        isComputing: Bool, _ body: (any StatementSource) throws -> Result
    ) throws -> Result {
        switch source {
        case .reader(let reader, _): try reader.readHeld(isComputing: isComputing, body)
        case .snapshot(let snapshot): try snapshot.unsafeReentrantRead { try body($0) }
        case .copy(let copy): try copy.use { try body($0) }
        }
    }

    /// Runs a closure on a connection to a copy of the state, for changes that are rolled back.
    ///
    /// - Throws: `DatabaseError`, for example if the disk has no room for the copy.
    /// - Complexity: O(*n*) in the pages of the store for the first call.
    func rehearse<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writableCopy().use(body)
    }

    private func writableCopy() throws -> StoreCopy {
        if let known = copy.withLock(\.self) { return known }
        var options = StoreOptions()
        if case .reader(let reader, _) = source { options = reader.options }
        let made = try read { try StoreCopy(of: $0, options: options) }
        return copy.withLock { copy in
            let kept = copy ?? made
            copy = kept
            return kept
        }
    }
}
