public import Foundation
public import GRDB
import InternalUtilities

/// An opened store and its model. Make contexts with it to read and change objects.
///
/// A container may be used from any thread. It keeps the store open as long as it lives.
public final class PersistentContainer: Sendable {
    /// The model: what was given, or what the store keeps.
    public let model: ManagedObjectModel
    /// Where the store is; nil for a store in memory or on a writer that was handed over.
    public let url: URL?
    let connections: StoreConnections
    /// The path of the store's file; nil for a store in memory.
    let filePath: String?
    /// Where contexts hear of what others commit.
    let mailboxes = MailboxRegistry()
    /// Who notices what other programs commit.
    let sharedMonitor = SharedMonitor()
    /// The identities of objects that were never saved.
    let temporaryIdentities = TemporaryIdentities()
    /// Which keys must not be given again in tables that somebody else made.
    let keyHighWaterMarks = KeyHighWaterMarks()
    /// What the last reading of a state worked out of the schema.
    let knownSchema = LockedValue<KnownSchema?>(nil)
    /// The version of the schema under which the stamps were last confirmed before a save.
    let confirmedVersion = LockedValue<StoredValue?>(nil)
    /// What was found out of the triggers.
    let knownTriggers = LockedValue<KnownTriggers?>(nil)
    /// What was worked out of the rules of relationships.
    private let knownRules = LockedValue<ReachedRows?>(nil)
    /// Which tables of an application's database change with which others.
    let knownEffects = LockedValue<TableEffects?>(nil)
    /// Whether changes to the store are noticed, whoever makes them: false for somebody else's database in
    /// which nothing of ours may be made.
    public let isTracked: Bool
    /// Whether the store is opened for reading alone: because the options say so, or because SQLite can make
    /// no file beside a store with a write-ahead log, for want of permission or room.
    public let isReadOnly: Bool
    /// The transformers of attributes that are read by name.
    let transformers: [any AttributeTransformer.Type]

    /// Opens the store at `url`, or makes one there if there is none and a model is given.
    ///
    /// - Parameters:
    ///   - url: The store's file.
    ///   - model: The shape of the data. Its entities are added to the store if they are new there; an entity
    ///     of which the store has another version is an error. Nil takes the model that the store keeps.
    ///   - options: How to open.
    /// A store whose directory cannot be written, or whose disk is full, is opened for reading alone if SQLite
    /// cannot open it otherwise. It shows all committed rows until another program writes to it; from then on
    /// reads throw ``ObjectStorageError/Code/storeReplaced``, and it can be opened again.
    ///
    /// - Throws: ``ObjectStorageError``: no file, a directory, not a database, another application's
    ///   database, a newer format, a store that is locked or cannot be written, another version of an entity,
    ///   a mapped table that is not as the model says (``ObjectStorageError/Code/existingTableMismatch``).
    /// - Complexity: O(*n*) in the number of entities; not dependent on the rows.
    public init(
        url: URL, model: ManagedObjectModel? = nil, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        let path = Self.path(of: url)
        let options = options.isUntrusted ? UntrustedStore.options(options, path: path) : options
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
        isReadOnly = options.isReadOnly || connections.lockless != nil
        transformers = options.transformers
    }

    /// Uses a connection that the application already has: a GRDB queue or pool.
    ///
    /// Our tables are made in its database if they are not there; other tables are left alone, but for
    /// triggers on those that entities are mapped on, if ``StoreOptions/existingTables`` allows them. Write
    /// through our contexts or through your own code as you like: triggers notice both, and GRDB's observations
    /// of the writer hear of what contexts and batches commit.
    ///
    /// No other connection to the file is opened, except for a snapshot of a pool while a context is pinned
    /// (``ManagedObjectContext/setQueryGeneration(from:)``).
    ///
    /// - Parameter options: Transformers, what concerns migration and existing tables; how to connect is the
    ///   writer's matter.
    /// - Throws: As ``init(url:model:options:)``; with ``ObjectStorageError/Code/triggersDisabled`` if
    ///   triggers are switched off on the connection. So do saves and batches, if they are switched off
    ///   later.
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
                try writer.unsafeRead { try ExistingTableCheck.check(model, in: $0) }
                return (model, filePath)
            }
            try writer.unsafeReentrantWrite(ChangeTracking.checkTriggersFire)
            var options = options
            // How to connect is the writer's matter.
            options.connections = .single
            return (
                try Self.prepare(writer, model: model, options: options, isShared: true), filePath
            )
        }
        url = nil
        isReadOnly = false
        transformers = options.transformers
    }

    /// Makes a store in memory, which is gone with the container.
    ///
    /// - Parameter options: The transformers; nothing else matters to a store in memory.
    /// - Throws: As ``init(writer:model:options:)``.
    public convenience init(
        inMemoryWith model: ManagedObjectModel, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        let queue = try ObjectStorageError.translating("Making a store in memory") {
            try DatabaseQueue(configuration: StoreOptions().configuration(isOwnStore: !model.hasExistingTables))
        }
        try self.init(StoreConnections(writer: queue, owner: OwnedWriter(queue)), queue, model, options)
    }

    /// Uses connections to a store that is being made, or has just been.
    init(
        _ connections: StoreConnections, path: String, url: URL, model: ManagedObjectModel,
        options: StoreOptions
    ) {
        self.model = model
        self.url = url
        self.connections = connections
        filePath = path
        isTracked = true
        isReadOnly = false
        transformers = options.transformers
    }

    /// The rules of relationships for rows that a transaction reaches, with no row noted.
    var reachedRows: ReachedRows {
        knownRules.withLock { known in
            let rules = known ?? ReachedRows(of: model)
            known = rules
            return rules
        }
    }
}

extension PersistentContainer {
    /// What errors call the store.
    var nameInMessages: String { url.map { "the store “\($0.path)”" } ?? "the store" }

    /// The path of a file's URL. Where nothing in it is percent-encoded it is taken as it is, which spares a
    /// start the decoder.
    static func path(of url: URL) -> String {
        let encoded = url.path(percentEncoded: true)
        return encoded.utf8.contains(UInt8(ascii: "%")) || encoded.hasSuffix("/") ? url.path : encoded
    }

    /// Opens a store that is there and has all that a program needs; nil if there is more to do or to say.
    private static func openSettled(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel)? {
        let reader: ReadConnection
        do {
            reader = try ReadConnection(path: path, options: options)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN && access(path, F_OK) != 0
        {
            // It is made. GRDB would not open either what is there and cannot be opened.
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

    /// Opens a store whose changes are noticed, or makes it. Where SQLite can make no file beside it, it is
    /// opened for reading alone.
    private static func openTracked(
        _ path: String, model: ManagedObjectModel?, options: StoreOptions
    ) throws -> (StoreConnections, ManagedObjectModel) {
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
        // A pool would make any database it opens a WAL database, also one that turns out to be somebody
        // else's.
        let queue = try DatabaseQueue(
            path: options.lockless?.uri ?? path, configuration: options.configuration(isOwnStore: !(model?.hasExistingTables ?? false)))
        let owner = OwnedWriter(queue)
        let model = try prepare(queue, model: model, options: options)
        return (try connections(path, options, madeOn: owner, model: model), model)
    }

    /// The connections to a store that was made on one of them.
    static func connections(
        _ path: String, _ options: StoreOptions, madeOn queue: OwnedWriter, model: ManagedObjectModel
    ) throws -> StoreConnections {
        if options.connections == .pool { try queue.writer.close() }
        return StoreConnections(
            reader: try ReadConnection(path: path, options: options),
            writer: options.connections == .pool ? nil : queue
        ) { try openWriter(path, model: model, options: options) }
    }

    /// The database and its log.
    private static let descriptorsOfSecondConnection = 2

    static func openWriter(
        _ path: String, model: ManagedObjectModel, options: StoreOptions
    ) throws -> OwnedWriter {
        // A connection that fails to read would give its queue up here. The log's index is open already.
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

    /// Looks at the file before SQLite does, by name only: opening and closing it here would drop SQLite's
    /// locks if this process already has it open.
    static func checkFile(_ path: String, mayCreate: Bool) throws(ObjectStorageError) {
        guard access(path, F_OK) == 0 else {
            guard mayCreate else {
                throw ObjectStorageError(
                    .storeMissing,
                    "There is no store at “\(path)”. Check the path, or give a model to make one.")
            }
            return
        }
        // Asks for a directory, so that a file is not opened.
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            throw ObjectStorageError(
                .storeIsDirectory, "“\(path)” is a directory. Give the path of the store's file.")
        }
    }
}
