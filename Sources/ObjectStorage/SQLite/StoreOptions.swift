/// How a store is opened.
public struct StoreOptions: Sendable {
    /// How many connections a container keeps.
    public enum Connections: Hashable, Sendable {
        /// One, which reads and writes in turn. The quickest to open.
        case single
        /// One writer, and readers that do not wait for it. For servers and for long reads beside writes.
        case pool
    }

    /// What the owner of existing tables allows besides reading and writing rows.
    public enum ExistingTables: Hashable, Sendable {
        /// Our control tables are added to the database, and triggers to the tables that entities are mapped
        /// on. Nothing of the owner's is altered. Changes by anybody are noticed, and caches are used.
        case tracked
        /// Nothing is added: only rows are written that contexts save. What others change is not noticed but
        /// by reading everything again, and nothing is cached.
        case untracked
    }

    /// How many connections a container keeps.
    public var connections: Connections
    /// What the owner of existing tables allows. Nil is enough for a store that was opened
    /// ``ExistingTables/tracked`` before, and for models without existing tables.
    public var existingTables: ExistingTables?
    /// Whether the store is opened for reading alone.
    public var isReadOnly: Bool
    /// How long to wait for another program's lock, in seconds: at most 24 days.
    public var busyTimeout: Double
    /// Whether the file may have been prepared by somebody to do harm, for programs that look at files of
    /// others.
    ///
    /// Such a store is read and never written, as if ``isReadOnly`` were set, and has one connection. All of
    /// the file is checked before anything is read of it (SQLite's `quick_check`, which reads every page),
    /// damage is ``ObjectStorageError/Code/notADatabase``, and a view or virtual table in the place of a
    /// table is ``ObjectStorageError/Code/foreignStore``. Its triggers do not fire, its views are not read,
    /// its functions are not called, constraints that are expressions are not evaluated, and each statement
    /// has ``limits``: those of ``StoreLimits/init(statementSeconds:statementByteCount:valueByteCount:sectionKeyByteCount:)``
    /// unless others are given.
    public var isUntrusted: Bool
    /// The most that one statement may take; nil for no limits beyond SQLite's own.
    ///
    /// A save that exceeds one is undone and throws.
    public var limits: StoreLimits?
    /// Whether the connections have the defences of an untrusted store without being forbidden to write: no
    /// trigger fires, so no object can be saved, but tables can be stamped. Implied by ``isUntrusted``.
    package var isStampedAlone = false
    /// Whether SQLite opens the file of an untrusted store for writing, though nothing is written.
    var opensFileForWriting = false
    /// How the file is read where SQLite can make no file beside it.
    var lockless: LocklessAccess?

    /// Whether a store that was made with an earlier version of the model is brought into the shape of this
    /// one.
    public var migratesAutomatically: Bool
    /// How to bring data into the shape of the model where that does not follow from the two versions.
    public var migrationSteps: [MigrationStep]
    /// The transformers of transformable attributes that are read by name: those of models without typed
    /// classes.
    public var transformers: [any AttributeTransformer.Type]

    /// Makes options. Each parameter is what the property of its name says.
    ///
    /// - Parameters:
    ///   - connections: How many connections a container keeps: one, or a writer and several readers.
    ///   - isReadOnly: Whether the store is opened for reading alone.
    ///   - busyTimeout: How long to wait for another program's lock, in seconds: at most 24 days. 0 or less
    ///     does not wait.
    ///   - migratesAutomatically: Whether a store of an earlier version of the model is brought into the
    ///     shape of this one.
    ///   - migrationSteps: How to bring data into that shape where it does not follow from the two versions.
    ///   - transformers: The transformers of attributes that are read by name: those of models without typed
    ///     classes.
    ///   - existingTables: What the owner of existing tables allows; nil where there are none, or the store
    ///     says it.
    ///   - isUntrusted: Whether the file may have been prepared to do harm. It is checked first, and never
    ///     written.
    ///   - limits: The most that one statement may take; nil for no limits, or for the standard ones where
    ///     the file is not trusted.
    public init(
        connections: Connections = .single, isReadOnly: Bool = false, busyTimeout: Double = 5,
        migratesAutomatically: Bool = true, migrationSteps: [MigrationStep] = [],
        transformers: [any AttributeTransformer.Type] = [], existingTables: ExistingTables? = nil,
        isUntrusted: Bool = false, limits: StoreLimits? = nil
    ) {
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

    /// How long to wait for another program's lock, in milliseconds that SQLite takes.
    var busyMilliseconds: Int32 { Int32(max(0, min(busyTimeout * 1_000, Double(Int32.max)))) }

    /// The options under which a store is read beside which SQLite can make no file.
    func lockless(_ access: LocklessAccess) -> StoreOptions {
        var options = self
        options.lockless = access
        options.isReadOnly = true
        options.opensFileForWriting = false
        options.connections = .single
        return options
    }

    /// Whether what the file could make a connection do is taken from it.
    var isGuarded: Bool { isUntrusted || isStampedAlone }

    /// Whether SQLite opens the file for reading alone.
    var isFileReadOnly: Bool { isReadOnly && !opensFileForWriting }
}
