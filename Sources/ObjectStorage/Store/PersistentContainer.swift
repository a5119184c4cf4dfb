public import Foundation
public import GRDB
import InternalUtilities

/// An open store and its model. Create contexts with it to read and change objects.
///
/// A container may be used from any thread. It keeps the store open for as long as it exists.
public final class PersistentContainer: Sendable {
    /// The model: the given one, or the one in the store.
    public let model: ManagedObjectModel
    /// The location of the store; nil for a store in memory or on a given writer.
    public let url: URL?
    let connections: StoreConnections
    /// The path of the store's file; nil for a store in memory.
    let filePath: String?
    /// The mailboxes through which contexts receive the changes of other contexts and programs.
    let mailboxes = MailboxRegistry()
    /// The monitor that detects external changes.
    let sharedMonitor = SharedMonitor()
    /// The identities of objects that were never saved.
    let temporaryIdentities = TemporaryIdentities()
    /// The keys that must not be reused in external tables.
    let keyHighWaterMarks = KeyHighWaterMarks()
    /// The schema that the last reading of a state computed.
    let knownSchema = LockedValue<KnownSchema?>(nil)
    /// The schema version under which the stamps were last confirmed before a save.
    let confirmedVersion = LockedValue<StoredValue?>(nil)
    /// The last known origin of the store's triggers.
    let knownTriggers = LockedValue<KnownTriggers?>(nil)
    /// The relationship rules, computed once.
    private let knownRules = LockedValue<ReachedRows?>(nil)
    /// The computation of derived attributes, prepared once; nil inside if the model has none.
    private let knownDerivations = LockedValue<DerivedAttributes??>(nil)
    /// The dependencies between tables of an application's database.
    let knownEffects = LockedValue<TableEffects?>(nil)
    /// Whether changes of the store are detected, whichever program makes them: false for an application's
    /// database to which nothing may be added.
    public let isTracked: Bool
    /// Whether the store is opened read-only: because the options request it, or because SQLite cannot create
    /// a file beside a store with a write-ahead log, for lack of permission or space.
    public let isReadOnly: Bool
    /// Whether caches of an untracked store rely on the state of its files, or on a replicator's position.
    let usesFileState: Bool
    /// The history of changes that another program keeps in the store.
    let history: ChangeHistory?
    /// Whether rows of views may be read, whose contents may depend on more than the store's files.
    let mayReadViews: Bool
    /// The file with the replicator's position; nil if caches do not rely on it.
    let positionFile: PositionFile?
    /// The transformers of attributes that are found by name.
    let transformers: [any AttributeTransformer.Type]
    /// The limits of each statement; nil for no limits.
    let limits: StoreLimits?
    /// The rules of the program that owns the store; nil for a store without such rules.
    package let transactionRules: (any TransactionRules)?

    /// Opens the store at `url`, or creates one if none exists and a model is given.
    ///
    /// A store whose directory is not writable, or whose disk is full, is opened read-only if SQLite cannot
    /// open it otherwise. It shows all committed rows until another program writes to it; from then on reads
    /// throw ``ObjectStorageError/Code/storeChanged``, and it can be opened again.
    ///
    /// - Parameters:
    ///   - url: The location of the store's file.
    ///   - model: The description of the data. Its entities are added to the store if they are new there; an
    ///     entity of which the store has another version is migrated or an error. Nil uses the model in the
    ///     store.
    ///   - options: The options for opening the store.
    /// - Throws: ``ObjectStorageError`` for a missing file, a directory, a file that is not a database,
    ///   another application's database, a newer format, a store that is locked or cannot be written, another
    ///   version of an entity, or a mapped table that does not match the model
    ///   (``ObjectStorageError/Code/existingTableMismatch``).
    /// - Complexity: O(*n*) in the number of entities; independent of the number of rows.
    public init(
        url: URL, model: ManagedObjectModel? = nil, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        let path = Self.path(of: url)
        let options = options.protected(for: path)
        let isTracked = options.existingTables != .untracked
        let mayCreate = model.map { !$0.hasExistingTables && isTracked && !options.isReadOnly } ?? false
        do throws(ObjectStorageError) {
            (connections, self.model) = try ObjectStorageError.translating("Opening the store “\(path)”") {
                try Self.openingAgainIfRemoved(unless: false) {
                    try Self.checkFile(path, mayCreate: mayCreate)
                    return isTracked
                        ? try Self.openTracked(path, model: model, options: options)
                        : try Self.openUntracked(path, model: model, options: options)
                }
            }
        } catch {
            throw error.naming(path)
        }
        self.url = url
        filePath = path
        self.isTracked = isTracked
        usesFileState = options.cachesByFileState || options.positionFile != nil
        positionFile = options.positionFile.map(PositionFile.init)
        mayReadViews = options.readableViews != .none
        history = options.changeHistory
        isReadOnly = options.isReadOnly || connections.lockless != nil
        transformers = options.transformers
        limits = options.limits
        transactionRules = options.transactionRules
    }

    /// Uses a connection of the application: a GRDB queue or pool.
    ///
    /// The library's tables are created in its database if they do not exist; other tables are not changed,
    /// except for triggers on mapped tables if ``StoreOptions/existingTables`` allows them. The application
    /// may write both through contexts and through its own code: triggers detect both, and GRDB's
    /// observations of the writer include the commits of contexts and batches.
    ///
    /// No other connection to the file is opened, except for a snapshot of a pool while a context is pinned
    /// (``ManagedObjectContext/setQueryGeneration(from:)``).
    ///
    /// - Parameters:
    ///   - writer: The queue or pool. The container keeps it.
    ///   - model: The model; nil for the model that the store records.
    ///   - options: The transformers, and the options for migration and external tables; the writer
    ///     determines the connections.
    /// - Throws: As ``init(url:model:options:)``; with ``ObjectStorageError/Code/triggersDisabled`` if
    ///   triggers are disabled on the connection. Saves and batches throw the same error if triggers are
    ///   disabled later.
    public convenience init(
        writer: any DatabaseWriter, model: ManagedObjectModel? = nil,
        options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        try self.init(StoreConnections(writer: writer, isApplications: true), writer, model, options)
    }

    private init(
        _ connections: StoreConnections, _ writer: any DatabaseWriter, _ model: ManagedObjectModel?,
        _ options: StoreOptions
    ) throws(ObjectStorageError) {
        self.connections = connections
        let isTracked = options.existingTables != .untracked
        self.isTracked = isTracked
        (self.model, filePath) = try ObjectStorageError.translating("Preparing the store") {
            let hasExistingTables = model?.hasExistingTables ?? false
            let filePath = try writer.unsafeReentrantWrite {
                try StoreOptions.prepareConnection($0, isOwnStore: !hasExistingTables)
                return $0.filePath
            }
            guard isTracked else {
                let model = try Self.untrackedModel(model)
                var options = options
                options.connections = .single
                // The application's connection writes, so views and keys that are only readable are refused.
                options.isReadOnly = false
                options.readableViews = .none
                try writer.unsafeRead {
                    try Self.checkExistingTables(of: model, options: options, in: $0)
                }
                return (model, filePath)
            }
            try writer.unsafeReentrantWrite(ChangeTracking.checkTriggersFire)
            var options = options
            // The writer determines the connections.
            options.connections = .single
            return (
                try Self.prepare(writer, model: model, options: options, isShared: true), filePath
            )
        }
        url = nil
        usesFileState = false
        history = nil
        positionFile = nil
        mayReadViews = false
        isReadOnly = false
        transformers = options.transformers
        limits = options.limits
        transactionRules = nil
    }

    /// Creates a store in memory, which is deleted with the container.
    ///
    /// - Parameters:
    ///   - model: The model of the objects.
    ///   - options: The transformers; other options have no effect on a store in memory.
    /// - Throws: As ``init(writer:model:options:)``.
    public convenience init(
        inMemoryWith model: ManagedObjectModel, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        let queue = try ObjectStorageError.translating("Making a store in memory") {
            try DatabaseQueue(
                configuration: StoreOptions().configuration(isOwnStore: !model.hasExistingTables))
        }
        try self.init(StoreConnections(writer: queue, owner: OwnedWriter(queue)), queue, model, options)
    }

    /// Uses connections to a store that is being created, or has just been created.
    init(
        _ connections: StoreConnections, path: String, url: URL, model: ManagedObjectModel,
        options: StoreOptions
    ) {
        self.model = model
        self.url = url
        self.connections = connections
        filePath = path
        isTracked = true
        usesFileState = false
        history = nil
        positionFile = nil
        mayReadViews = false
        isReadOnly = false
        transformers = options.transformers
        limits = options.limits
        transactionRules = nil
    }

    /// The relationship rules for the rows that a transaction affects, with no row recorded.
    var reachedRows: ReachedRows {
        knownRules.withLock { known in
            let rules = known ?? ReachedRows(of: model)
            known = rules
            return rules
        }
    }

    /// The computation of derived attributes; nil if the model has none.
    var derivedAttributes: DerivedAttributes? {
        knownDerivations.withLock { known in
            let derivations = known ?? DerivedAttributes(of: model)
            known = .some(derivations)
            return derivations
        }
    }
}

extension PersistentContainer {
    /// The name of the store in error messages.
    var nameInMessages: String { url.map { "the store “\($0.path)”" } ?? "the store" }

    /// Returns the path of a file URL. A path without percent-encoding is returned as it is, so that program
    /// start does not load the decoder.
    static func path(of url: URL) -> String {
        let encoded = url.path(percentEncoded: true)
        return encoded.utf8.contains(UInt8(ascii: "%")) || encoded.hasSuffix("/") ? url.path : encoded
    }

    /// Opens an existing store that needs no change; nil if a change or an error remains to be handled.
    private static func openSettled(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel)? {
        let reader: ReadConnection
        do {
            reader = try ReadConnection(path: path, options: options)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN && access(path, F_OK) != 0
        {
            // The store will be created. An existing file that cannot be opened is an error for GRDB as well.
            return nil
        }
        guard let model = try settledModel(in: reader, model: model, options: options) else { return nil }
        if model.hasExistingTables {
            try reader.read { try checkExistingTables(of: model, options: options, in: $0) }
        }
        return (
            StoreConnections(reader: reader) { try openWriter(path, model: model, options: options) }, model
        )
    }

    /// Opens or creates a store whose changes are detected. If SQLite cannot create files beside it, it is
    /// opened read-only.
    private static func openTracked(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
        if options.preservesFiles, options.isReadOnly {
            return try PrivateCopy.preservingFiles(ofStoreAt: path, options: options) { path, options in
                try openShared(path, model: model, options: options)
            }
        }
        do {
            return try openShared(path, model: model, options: options)
        } catch let error as DatabaseError {
            guard options.lockless == nil, let lockless = LocklessAccess(path: path, after: error) else {
                throw error
            }
            return try openShared(path, model: model, options: options.lockless(lockless))
        }
    }

    private static func openShared(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
        if let settled = try openSettled(path, model: model, options: options) { return settled }
        // A pool would convert any database that it opens to WAL mode, including one that turns out to belong
        // to another application.
        let queue = try DatabaseQueue(
            path: options.lockless?.uri ?? path,
            configuration: options.configuration(isOwnStore: !(model?.hasExistingTables ?? false)))
        let owner = OwnedWriter(queue)
        let model = try prepare(queue, model: model, options: options)
        return (try connections(path, options, madeOn: owner, model: model), model)
    }

    /// Returns the connections to a store that was created on one of them.
    static func connections(
        _ path: String, _ options: StoreOptions, madeOn queue: OwnedWriter, model: ManagedObjectModel
    ) throws -> StoreConnections {
        if options.connections == .pool { try queue.writer.close() }
        return StoreConnections(
            reader: try ReadConnection(path: path, options: options),
            writer: options.connections == .pool ? nil : queue
        ) { try openWriter(path, model: model, options: options) }
    }

    /// The number of file descriptors for the database and its log.
    private static let descriptorsOfSecondConnection = 2

    static func openWriter(
        _ path: String, model: ManagedObjectModel, options: StoreOptions
    ) throws -> OwnedWriter {
        // A connection that fails on the first read would release its queue here. The log's index is already
        // open.
        guard FileDescriptors.areFree(descriptorsOfSecondConnection) else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no file descriptors are left")
        }
        let configuration = options.configuration(isOwnStore: !model.hasExistingTables)
        return switch options.connections {
        case .single:
            OwnedWriter(
                try DatabaseQueue(path: options.lockless?.uri ?? path, configuration: configuration))
        case .pool: OwnedWriter(try DatabasePool(path: path, configuration: configuration))
        }
    }

    /// Checks the file before SQLite opens it, by name only: opening and closing it here would drop SQLite's
    /// locks if this process already has it open.
    static func checkFile(_ path: String, mayCreate: Bool) throws(ObjectStorageError) {
        guard access(path, F_OK) == 0 else {
            guard mayCreate else {
                throw ObjectStorageError(
                    .storeMissing,
                    "There is no store at “\(path)”. Check the path. A store is created only for a model without external tables, and not read-only."
                )
            }
            return
        }
        // Opens only a directory, so that a file is never opened.
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            throw ObjectStorageError(
                .storeIsDirectory, "“\(path)” is a directory. Give the path of the store's file.")
        }
        try checkLog(ofFileAt: path)
    }

    /// Checks that an empty file has no write-ahead log. SQLite would delete the log, and with it rows that
    /// may exist nowhere else.
    private static func checkLog(ofFileAt path: String) throws(ObjectStorageError) {
        guard !FileRecord(path).exists, let file = SymbolicLinks.target(of: path) else { return }
        let count = FileRecord(file + "-wal").size
        guard count > 0 else { return }
        throw ObjectStorageError(
            .notADatabase,
            "“\(path)” is empty, but its write-ahead log “\(file)-wal” has \(count) bytes, as after an incomplete copy. Copy both files again, or delete the log if its rows are not needed. Nothing was changed."
        )
    }
}
