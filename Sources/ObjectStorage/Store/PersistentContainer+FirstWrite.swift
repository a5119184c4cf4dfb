public import Foundation
import GRDB
import Mutants

extension PersistentContainer {
    /// Opens the store at `url` as ``init(url:model:options:)`` does and runs `body` in the same transaction:
    /// missing parts of the model are created together with the first rows, or not at all.
    ///
    /// Intended for imports whose data may be invalid. When `body` throws, the store contains neither the
    /// rows nor the entities that would have been created for them, and data that would have been migrated
    /// are unchanged. If no store existed, the file is removed, unless another program has opened it in the
    /// meantime; that program finds an empty database, as after the end of this process.
    ///
    /// - Parameters:
    ///   - url: The location of the store's file.
    ///   - model: The description of the data.
    ///   - options: The options for opening the store.
    ///   - body: Writes the rows. If the store did not contain the model, foreign keys are checked when it
    ///     returns, in all rows of the tables to which it wrote.
    /// - Returns: The container, and the result of `body`.
    /// - Throws: The error of `body`; otherwise as ``init(url:model:options:)`` and ``write(_:)``.
    @discardableResult
    public static func open<Output>(
        _ url: URL, model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        writing body: (BatchWriter) throws -> Output
    ) throws -> (container: PersistentContainer, output: Output) {
        guard options.existingTables != .untracked, !options.isReadOnly, !options.isUntrusted,
            !Mutant.entityBeforeRows.isPlanted
        else {
            let container = try PersistentContainer(url: url, model: model, options: options)
            return (container, try container.write(body))
        }
        let path = path(of: url)
        var thrown: (any Error)?
        var hasBegun = false
        do throws(ObjectStorageError) {
            return try ObjectStorageError.translating("Opening the store “\(path)”") {
                try openingAgainIfRemoved(unless: hasBegun) {
                    try firstWrite(path, url, model, options) { writer in
                        hasBegun = true
                        do {
                            return try body(writer)
                        } catch {
                            thrown = error
                            throw error
                        }
                    }
                }
            }
        } catch {
            throw thrown ?? error.naming(path)
        }
    }

    /// Opens the store's file and runs `body` in the transaction that creates or migrates the store, or in a
    /// separate one if the store already has the model.
    private static func firstWrite<Output>(
        _ path: String, _ url: URL, _ model: ManagedObjectModel, _ options: StoreOptions,
        _ body: (BatchWriter) throws -> Output
    ) throws -> (PersistentContainer, Output) {
        let previous = FileSize(ofFileAt: path)
        try checkFile(path, mayCreate: !model.hasExistingTables)
        // Without threads, a queue whose connection is unusable could not be released.
        if previous == .some { try ReadConnection(path: path, options: options).checkIsDatabase() }
        let queue = try DatabaseQueue(
            path: path, configuration: options.configuration(isOwnStore: !model.hasExistingTables))
        let owner = OwnedWriter(queue)
        let file = FileIdentity(ofFileAt: path)
        func container(_ model: ManagedObjectModel) throws -> PersistentContainer {
            PersistentContainer(
                try connections(path, options, madeOn: owner, model: model), path: path, url: url,
                model: model, options: options)
        }
        let shaped: (model: ManagedObjectModel, output: Output)
        do {
            switch try preparation(of: queue, model: model, options: options) {
            case .none(let model):
                let container = try container(model)
                return (container, try container.write(body))
            case .shaping(let model):
                shaped = try prepareSchema(of: queue, for: model, options: options) { database, model in
                    let writing = PersistentContainer(
                        StoreConnections(writer: queue), path: path, url: url, model: model, options: options)
                    let (output, changed) = try writing.stamping(in: database) { database in
                        let writer = BatchWriter(database: database, container: writing)
                        let output = try body(writer)
                        try writer.checkRules()
                        return output
                    }
                    try refuseDanglingRows(of: model, among: changed.map(\.tableName), in: database)
                    guard file == FileIdentity(ofFileAt: path) else { throw ReadConnection.replaced(path) }
                    return (model, output)
                }
            }
        } catch {
            if previous != .some { restoreFile(path, previous, file, queue) }
            throw error
        }
        return (try container(shaped.model), shaped.output)
    }

    private static func refuseDanglingRows(
        of model: ManagedObjectModel, among names: [String], in database: Database
    ) throws {
        guard let name = try model.danglingTableName(among: names, in: database) else { return }
        throw ObjectStorageError(
            .conflict,
            "A row of \(name) would refer to a row that does not exist. Nothing was written.")
    }

    /// The state of a file before a store is created in it.
    private enum FileSize {
        case absent, empty, some

        init(ofFileAt path: String) {
            var status = stat()
            self = stat(path, &status) != 0 ? .absent : status.st_size == 0 ? .empty : .some
        }
    }

    /// Removes or empties a file in which the creation of a store failed.
    ///
    /// The file is changed only if no other program has it open, because that program might be about to
    /// create a store in it: to leave WAL mode SQLite needs exclusive access to the file, and keeps the
    /// access until the connection is closed. If this fails for any reason, an empty database remains, in
    /// which any program may create a store; the caller throws the original error.
    private static func restoreFile(
        _ path: String, _ previous: FileSize, _ file: FileIdentity?, _ queue: DatabaseQueue
    ) {
        try? queue.writeWithoutTransaction { database in
            try database.runScript("PRAGMA locking_mode = EXCLUSIVE")
            // The journal is in memory, so that it creates no file to remove.
            guard try database.rows("PRAGMA main.journal_mode = MEMORY").first == [.text("memory")],
                try isEmpty(database), file == FileIdentity(ofFileAt: path)
            else { return }
            // A symbolic link without a target has none again afterwards.
            guard let file, let target = SymbolicLinks.target(of: path) else { return }
            if previous == .empty { file.empty(at: target) } else { file.remove(at: target) }
        }
        try? queue.close()
    }
}
