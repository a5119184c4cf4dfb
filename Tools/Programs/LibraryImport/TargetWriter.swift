import Foundation
import SectionedFetch
import ToolSupport

/// A writer to the store. The transaction of the first rows also adds the missing entities to the store.
final class TargetWriter {
    private let target: TargetStore
    /// The model with the missing entities, or nil once the store has them.
    private var missingModel: ManagedObjectModel?
    /// Returns the model with the missing entities beside a model that the store got meanwhile, or nil if it
    /// has them.
    private let model: (ManagedObjectModel?) throws -> ManagedObjectModel?
    /// The store, once it is open.
    private var container: PersistentContainer?

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - missingModel: The store's model with the entities to add, or nil if the store has all.
    ///   - model: Returns the model with the entities to add beside a model that the store got meanwhile, or
    ///     nil if they cannot be added beside it.
    init(
        _ target: TargetStore, missingModel: ManagedObjectModel?,
        beside model: @escaping (ManagedObjectModel?) throws -> ManagedObjectModel? = { _ in nil }
    ) {
        self.target = target
        self.missingModel = missingModel
        self.model = model
    }

    /// The location of the store.
    var path: String { target.url.path(percentEncoded: false) }

    /// Runs `body` in one transaction, which is rolled back if `body` throws.
    ///
    /// - Throws: The error of `body`, or an `ObjectStorageError` from opening the store or from the commit.
    func write(_ body: (BatchWriter) throws -> Void) throws {
        let end = ContinuousClock.now + target.patience
        var isNoted = false
        while true {
            var hasBegun = false
            do {
                return try writeOnce { writer in
                    hasBegun = true
                    try body(writer)
                }
            } catch let error as ObjectStorageError where error.code == .storeLocked && !hasBegun {
                // A signal that arrived while the program waited ends the import.
                guard Interruption.signal == nil, ContinuousClock.now < end else { throw error }
                if !isNoted {
                    LibraryImport.note(
                        "Waiting at most ten minutes for another program that writes to “\(path)”; --busy-timeout sets the time."
                    )
                }
                isNoted = true
            }
        }
    }

    private func writeOnce(_ body: (BatchWriter) throws -> Void) throws {
        if missingModel != nil {
            container = try addingEntities(body)
            missingModel = nil
        } else {
            let container = try container ?? target.open()
            self.container = container
            try container.write(body)
        }
    }

    /// Adds the missing entities and runs `body` in the same transaction. If another program adds entities at
    /// the same time, the missing ones are added beside them.
    private func addingEntities(_ body: (BatchWriter) throws -> Void) throws -> PersistentContainer {
        var attempts = 0
        while true {
            attempts += 1
            var hasBegun = false
            do {
                guard let missingModel else { break }
                return try PersistentContainer.open(
                    target.url, model: missingModel, options: target.options
                ) { writer in
                    hasBegun = true
                    try body(writer)
                }.container
            } catch let error as ObjectStorageError
                where error.code == .modelMismatch && !hasBegun && attempts < Self.maximumAttempts
            {
                // An entity of the rows that another program has added may have other attributes.
                guard let changed = try model(target.model()) else { throw error }
                missingModel = changed
            }
        }
        return try target.open()
    }

    /// The number of times that adding the missing entities is attempted.
    private static let maximumAttempts = 100

    /// Runs `body` in one transaction, which is always rolled back, with the checks of relationships that a
    /// commit makes.
    ///
    /// - Throws: As ``write(_:)``.
    func tryOut(_ body: (BatchWriter) throws -> Void) throws {
        struct RolledBack: Error {}
        do {
            try write { writer in
                try body(writer)
                try writer.checkRules()
                throw RolledBack()
            }
        } catch is RolledBack {}
    }

    /// Returns whether an import was undone.
    func hasUndone(_ number: Int64) -> Bool {
        guard let records = try? container?.importRecords() else { return false }
        return records.contains { $0.number == number && $0.undoneDate != nil }
    }

    /// Undoes an import of which no row was changed since, and returns whether that succeeded.
    func undo(_ number: Int64) -> Bool {
        let result = try? container?.undoImport(number, changedRows: .refuse)
        return result?.isUndone == true
    }

    /// Returns an error of writing, extended by the tables and columns of the model that the store lacks.
    func explained(_ error: ObjectStorageError) -> ObjectStorageError {
        // A store to which the missing entities cannot be added may still open with its own model.
        let container = container ?? (try? target.open())
        return container?.explained(error) ?? error
    }
}
