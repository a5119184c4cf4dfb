public import Foundation
import GRDB
import SeededBugs

extension PersistentContainer {
    /// Opens the store at `url` as ``init(url:model:options:)`` does and runs `body`, all in one transaction:
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
    ///   - options: How to open. ``StoreOptions/connections`` does not matter.
    ///   - body: Writes the rows. Foreign keys are looked at when it returns, by a look at all rows that have
    ///     relationships, and only if the store did not have the model.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; else as ``init(url:model:options:)`` and ``write(_:)``.
    public static func write<Output>(
        to url: URL, model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (BatchWriter) throws -> Output
    ) throws -> Output {
        let path = path(of: url)
        guard options.existingTables != .untracked, !options.isReadOnly, !options.isUntrusted,
            !SeededBug.entityBeforeRows.isPlanted
        else {
            return try PersistentContainer(url: url, model: model, options: options).write(body)
        }
        let isThere = try checkFile(path, mayCreate: !model.hasExistingTables)
        var options = options
        options.connections = .single
        var thrown: (any Error)?
        var written: Output?
        do throws(ObjectStorageError) {
            written = try ObjectStorageError.translating("Opening the store “\(path)”") {
                let queue = try DatabaseQueue(
                    path: path, configuration: configuration(options, model: model))
                do {
                    guard case .shaping = try preparation(of: queue, model: model, options: options) else {
                        return nil
                    }
                    return try shape(queue, to: model, options: options) { database, shaped in
                        let container = PersistentContainer(
                            queue, path: path, url: url, model: shaped, options: options)
                        let (output, _) = try container.sealing(in: database) { database in
                            do {
                                return try body(BatchWriter(database: database, container: container))
                            } catch {
                                thrown = error
                                throw error
                            }
                        }
                        try refuseDanglingRows(of: shaped, in: database)
                        return output
                    }
                } catch {
                    if !isThere { removeEmptyStore(path, queue) }
                    throw error
                }
            }
        } catch {
            throw thrown ?? error.naming(path)
        }
        if let written { return written }
        return try PersistentContainer(url: url, model: model, options: options).write(body)
    }

    private static func refuseDanglingRows(of model: ManagedObjectModel, in database: Database) throws {
        guard let name = try model.danglingTableName(in: database) else { return }
        throw ObjectStorageError(
            .conflict,
            "A row of \(name) would lead to a row that is not there. Nothing was written.")
    }

    /// Removes a file that was made for a store which was not.
    ///
    /// Only if nobody else has it open: he might be about to make a store in it. To give up the write-ahead
    /// log SQLite has to have the file for itself, and keeps it until it is closed.
    private static func removeEmptyStore(_ path: String, _ queue: DatabaseQueue) {
        try? queue.writeWithoutTransaction { database in
            try database.runScript("PRAGMA locking_mode = EXCLUSIVE")
            // The journal is in memory, so that it is no file to remove as well.
            guard try database.rows("PRAGMA main.journal_mode = MEMORY").first == [.text("memory")],
                try isEmpty(database)
            else { return }
            unlink(path)
        }
        try? queue.close()
    }
}
