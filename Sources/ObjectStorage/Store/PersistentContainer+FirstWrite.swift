public import Foundation
import GRDB
import Mutants

extension PersistentContainer {
    /// Opens the store at `url` as ``init(url:model:options:)`` does and runs `body` in the same transaction:
    /// what is missing of the model is made with the first rows, or not at all.
    ///
    /// For imports whose data may turn out to be bad. When `body` throws, the store has neither the rows nor
    /// the entities that would have been made for them, and data that were to be migrated are as they were. If
    /// there was no store there is none: the file is removed, unless another program has it open by then,
    /// which finds an empty database as after the death of the process.
    ///
    /// - Parameters:
    ///   - url: The store's file.
    ///   - model: The shape of the data.
    ///   - options: How to open.
    ///   - body: Writes the rows. If the store did not have the model, foreign keys are looked at when it
    ///     returns, in all rows of the tables that it wrote to.
    /// - Returns: The container, and what `body` returned.
    /// - Throws: What `body` throws; else as ``init(url:model:options:)`` and ``write(_:)``.
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

    /// Runs a closure that opens a store's file, and again if the file was removed before it could be locked:
    /// by another program whose first write failed.
    ///
    /// - Parameter isTooLate: Whether the closure did what must not be done again.
    static func openingAgainIfRemoved<Output>(
        unless isTooLate: @autoclosure () -> Bool, _ body: () throws -> Output
    ) throws -> Output {
        for _ in 0..<3 {
            do {
                return try body()
            } catch let error as DatabaseError
                where error.extendedResultCode == .SQLITE_READONLY_DBMOVED && !isTooLate()
            {
                continue
            } catch let error as ObjectStorageError where error.code == .storeReplaced && !isTooLate() {
                continue
            }
        }
        return try body()
    }

    /// Opens the store's file and runs `body` in the transaction that makes the store or brings it into shape,
    /// or in one of its own if the store has the model.
    private static func firstWrite<Output>(
        _ path: String, _ url: URL, _ model: ManagedObjectModel, _ options: StoreOptions,
        _ body: (BatchWriter) throws -> Output
    ) throws -> (PersistentContainer, Output) {
        let former = FileSize(ofFileAt: path)
        try checkFile(path, mayCreate: !model.hasExistingTables)
        // A queue whose connection cannot be used could not be given up where there are no threads.
        if former == .some { try ReadConnection(path: path, options: options).checkIsDatabase() }
        let queue = try DatabaseQueue(path: path, configuration: options.configuration(isOwnStore: !model.hasExistingTables))
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
                shaped = try shape(queue, to: model, options: options) { database, model in
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
            if former != .some { restoreFile(path, former, file, queue) }
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
            "A row of \(name) would lead to a row that is not there. Nothing was written.")
    }

    /// What there is of a file.
    private enum FileSize {
        case absent, empty, some

        init(ofFileAt path: String) {
            var status = stat()
            self = stat(path, &status) != 0 ? .absent : status.st_size == 0 ? .empty : .some
        }
    }

    /// Removes or empties a file in which a store was to be made and was not.
    ///
    /// Only if nobody else has it open: he might be about to make a store in it. To give up the write-ahead
    /// log SQLite has to have the file for itself, and keeps it until it is closed. Where that fails, for
    /// whatever reason, an empty database stays, in which anybody may make a store; what is thrown is why
    /// there is none.
    private static func restoreFile(
        _ path: String, _ former: FileSize, _ file: FileIdentity?, _ queue: DatabaseQueue
    ) {
        try? queue.writeWithoutTransaction { database in
            try database.runScript("PRAGMA locking_mode = EXCLUSIVE")
            // The journal is in memory, so that it is no file to remove as well.
            guard try database.rows("PRAGMA main.journal_mode = MEMORY").first == [.text("memory")],
                try isEmpty(database), file == FileIdentity(ofFileAt: path)
            else { return }
            // A link that led nowhere leads nowhere again.
            guard let file, let target = realpath(path, nil) else { return }
            defer { free(target) }
            if former == .empty {
                file.empty(at: String(cString: target))
            } else {
                file.remove(at: String(cString: target))
            }
        }
        try? queue.close()
    }
}
