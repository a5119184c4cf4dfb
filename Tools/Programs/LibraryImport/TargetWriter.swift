import Foundation
import SectionedFetch
import ToolSupport

/// A writer to the store. The transaction of the first rows also adds the missing entities to the store.
final class TargetWriter {
    private let target: TargetStore
    /// The model with the missing entities, or nil once the store has them.
    private var missingModel: ManagedObjectModel?
    /// The store, once it is open.
    private var container: PersistentContainer?

    /// Creates a writer.
    ///
    /// - Parameter missingModel: The model with the entities to add, or nil if the store has all.
    init(_ target: TargetStore, missingModel: ManagedObjectModel?) {
        self.target = target
        self.missingModel = missingModel
    }

    /// The location of the store.
    var path: String { target.url.path(percentEncoded: false) }

    /// Runs `body` in one transaction, which is rolled back if `body` throws.
    ///
    /// - Throws: The error of `body`, or an `ObjectStorageError` from opening the store or from the commit.
    func write(_ body: (BatchWriter) throws -> Void) throws {
        if let model = missingModel {
            (container, _) = try PersistentContainer.open(
                target.url, model: model, options: target.options, writing: body)
            missingModel = nil
        } else {
            let container = try container ?? target.open()
            self.container = container
            try container.write(body)
        }
    }

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

    /// Returns an error of writing, extended by the tables and columns of the model that the store lacks.
    func explained(_ error: ObjectStorageError) -> ObjectStorageError {
        // A store to which the missing entities cannot be added may still open with its own model.
        let container = container ?? (try? target.open())
        return container?.explained(error) ?? error
    }
}
