public import Foundation

/// The options with which a store is opened.
public struct StoreOptions: Sendable {
    /// The connections of a container.
    public enum Connections: Hashable, Sendable {
        /// One connection, which reads and writes in turn. The fastest to open.
        case single
        /// One writer, and readers that do not wait for it. For servers, and for long reads beside writes.
        case pool
    }

    /// The permitted changes to a database with external tables, besides reading and writing rows.
    public enum ExistingTables: Hashable, Sendable {
        /// The library adds its control tables to the database, and triggers to the mapped tables. Nothing
        /// else is altered. Changes of all programs are detected, and caches are used.
        case tracked
        /// Nothing is added: only rows that contexts save are written. External changes are detected only by
        /// reading everything again, and nothing is cached unless ``StoreOptions/cachesByFileState`` is set.
        case untracked
    }

    /// The connections of the container.
    public var connections: Connections
    /// The permitted changes to a database with external tables. Nil suffices for a store that was opened as
    /// ``ExistingTables/tracked`` before, and for models without external tables.
    public var existingTables: ExistingTables?
    /// Whether caches of an untracked store are valid while its files have the state in which the caches were
    /// saved.
    ///
    /// The state of the files is weaker evidence than the stamps of a tracked store. It consists of the
    /// identity, the size and the time of the last change of the main file, and of the last commit in the
    /// write-ahead log. It is not trusted within 100 ms of a change (2.5 s on a file system that records
    /// whole seconds), while a transaction is in progress, on a network file system, and after the clock was
    /// set back. The results are then computed, and the miss reason is `MissReason.unsettled(detail:)`. Any
    /// commit invalidates all caches of the store. A program that restores a file together with its inode's
    /// times is not detected.
    public var cachesByFileState = false
    /// The file in which a replicator keeps the position of the store, as LiteFS does in `NAME-pos`; nil if
    /// caches do not rely on one. Caches of an untracked store that is opened read-only are valid while this
    /// file has the contents with which they were saved, regardless of the state of the store's own files.
    ///
    /// The replicator must ensure that equal contents of this file mean equal contents of the database, and
    /// that no program can begin to read new data while the file has the old contents. LiteFS ensures both on
    /// its replicas: the position has a checksum of the database, and readers are kept out while it changes.
    /// A number without a checksum, as in Litestream's `NAME-txid`, is not trusted. The results are then
    /// computed, and the miss reason is `MissReason.unsettled(detail:)`, as for a file that is missing or
    /// changes when the transaction begins.
    public var positionFile: URL?
    /// The views of an untracked database, opened read-only, that entities may be mapped to.
    ///
    /// A view declares no key: opening the database and surveying it examine its rows, and the column that is
    /// the key must have a different integer in each. A view may also depend on the time or on chance, so no
    /// list of a container that may read views is cached. If views may be read, each statement has
    /// ``limits``, the default ones unless others are given.
    public var readableViews: ReadableViews = .none
    /// Whether the store is opened read-only.
    public var isReadOnly: Bool
    /// The time to wait for another program's lock, in seconds: at most 24 days.
    public var busyTimeout: Double
    /// Whether the file may be malicious, for programs that open files of unknown origin.
    ///
    /// Such a store is only read, as with ``isReadOnly``, and has one connection. The whole file is checked
    /// before anything is read from it (SQLite's `quick_check`, which reads every page); damage is
    /// ``ObjectStorageError/Code/notADatabase``, and a view or virtual table in place of a table is
    /// ``ObjectStorageError/Code/foreignStore``. Triggers do not fire, views are not read, functions of the
    /// schema are not called, constraints with expressions are not evaluated, and each statement has
    /// ``limits``: the defaults of
    /// ``StoreLimits/init(statementSeconds:statementByteCount:valueByteCount:sectionKeyByteCount:)`` unless
    /// others are given.
    public var isUntrusted: Bool
    /// The limits of each statement; nil for no limits beyond SQLite's own.
    ///
    /// A save that exceeds a limit is rolled back and throws.
    public var limits: StoreLimits?
    /// Whether the connections have the protections of an untrusted store but may write: no trigger fires, so
    /// no object can be saved, but tables can be stamped. The option is implied by ``isUntrusted``.
    package var firesNoTriggers = false
    /// Whether SQLite opens the file of an untrusted store for writing, although nothing is written.
    var opensFileForWriting = false
    /// Whether no file of the store is changed or created, not even the index of its log. The option has an
    /// effect only on untracked stores, which it makes read-only, and on stores that are opened read-only.
    package var preservesFiles = false
    /// Whether the model of a tracked database is replaced by the given one, without the entities that only
    /// the stored model has.
    package var replacesModel = false
    /// Whether the changed rows of a Core Data store are determined from its persistent history. When the app
    /// has saved, a list is then advanced by the changed rows, at a start with ``cachesByFileState`` and
    /// while it is followed. Without the option, it is computed from all rows, and reloaded.
    ///
    /// If the app enabled the history, Core Data adds each save to it, including those of extensions and
    /// batches. A program that writes to the store by other means adds nothing: its changes are detected only
    /// if the app does not save before the next look. The option is off by default, and has an effect on
    /// `PersistentContainer(coreDataStore:)` of the module `CoreDataStores`.
    public var readsCoreDataHistory = false
    /// The history of changes that another program keeps in an untracked store.
    package var changeHistory: ChangeHistory?
    /// Whether objects of a Core Data store can be changed and saved; nil for a store that is only read. The
    /// option has an effect on `PersistentContainer(coreDataStore:)` of the module `CoreDataStores`.
    ///
    /// The app that the store belongs to must not be running: a store that another process has open is
    /// refused. In a store with a rollback journal, and on systems other than Linux, another process is
    /// noticed only through SQLite's locks, while it is in a transaction.
    public var coreDataWriting: CoreDataWriting?
    /// The rules of the program that owns an untracked store.
    package var transactionRules: (any TransactionRules)?
    /// The method of reading the file if SQLite cannot create files beside it.
    var lockless: LocklessAccess?
    /// The copy that is read in place of the store; it is deleted with the last options that refer to it.
    var privateCopy: PrivateCopy?

    /// Whether a store that was made with an earlier version of the model is migrated to this version.
    public var migratesAutomatically: Bool
    /// The conversions of data that do not follow from the two versions of the model.
    public var migrationSteps: [MigrationStep]
    /// The transformers that are found by name: those of transformable attributes in models without typed
    /// classes.
    public var transformers: [any AttributeTransformer.Type]

    /// Creates options. Each parameter sets the property of the same name.
    ///
    /// - Parameters:
    ///   - connections: The connections of the container: one, or a writer and several readers.
    ///   - isReadOnly: Whether the store is opened read-only.
    ///   - busyTimeout: The time to wait for another program's lock, in seconds: at most 24 days. With 0 or
    ///     less, an operation that needs the lock fails at once.
    ///   - migratesAutomatically: Whether a store of an earlier version of the model is migrated to this
    ///     version.
    ///   - migrationSteps: The conversions of data that do not follow from the two versions of the model.
    ///   - transformers: The transformers that are found by name, for models without typed classes.
    ///   - existingTables: The permitted changes to a database with external tables; nil if the model has
    ///     none, or if the store records it.
    ///   - isUntrusted: Whether the file may be malicious. It is checked first, and never written.
    ///   - limits: The limits of each statement; nil for no limits, or for the default limits if the file is
    ///     not trusted.
    ///   - cachesByFileState: Whether caches of an untracked store are valid while its files do not change.
    public init(
        connections: Connections = .single, isReadOnly: Bool = false, busyTimeout: Double = 5,
        migratesAutomatically: Bool = true, migrationSteps: [MigrationStep] = [],
        transformers: [any AttributeTransformer.Type] = [], existingTables: ExistingTables? = nil,
        isUntrusted: Bool = false, limits: StoreLimits? = nil, cachesByFileState: Bool = false
    ) {
        self.cachesByFileState = cachesByFileState
        self.limits = limits
        self.isUntrusted = isUntrusted
        self.existingTables = existingTables
        self.migratesAutomatically = migratesAutomatically
        self.migrationSteps = migrationSteps
        self.transformers = transformers
        self.connections = connections
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
    }

    /// The time to wait for another program's lock, in milliseconds within SQLite's range.
    var busyMilliseconds: Int32 { Int32(max(0, min(busyTimeout * 1_000, Double(Int32.max)))) }

    /// Returns the options for reading a store beside which SQLite cannot create files.
    func lockless(_ access: LocklessAccess) -> StoreOptions {
        var options = self
        options.lockless = access
        options.isReadOnly = true
        options.opensFileForWriting = false
        options.connections = .single
        return options
    }

    /// Whether the connections are protected from the contents of the file.
    var isGuarded: Bool { isUntrusted || firesNoTriggers }

    /// Whether SQLite opens the file read-only.
    var isFileReadOnly: Bool { isReadOnly && !opensFileForWriting }
}
