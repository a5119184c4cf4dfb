import Foundation
import SectionedFetch
import ToolSupport

/// Writes to the store. What it lacks of the model is made in the transaction of the first rows.
final class TargetWriter {
    private let target: TargetStore
    /// What the store is to have; nil once it has it.
    private var missingModel: ManagedObjectModel?
    /// The store, once it is open.
    private var container: PersistentContainer?

    /// - Parameter missingModel: What the store is to have; nil if it has all.
    init(_ target: TargetStore, missingModel: ManagedObjectModel?) {
        self.target = target
        self.missingModel = missingModel
    }

    /// Where the store is.
    var path: String { target.url.path(percentEncoded: false) }

    /// Runs `body` in one transaction, which is undone when it throws.
    ///
    /// - Throws: What `body` throws, or an `ObjectStorageError` of opening or of the commit.
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

    /// An error of writing, with what the store lacks that its model says is there.
    func explained(_ error: ObjectStorageError) -> ObjectStorageError {
        // What cannot be added to may still be opened as it is.
        let container = container ?? (try? target.open())
        return container?.explained(error) ?? error
    }
}
