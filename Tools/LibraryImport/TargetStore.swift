import Foundation
import SectionedFetch
import ToolSupport

/// The store that rows go to.
struct TargetStore {
    /// Where it is or will be.
    let path: String
    /// How long to wait for another program's lock, in seconds.
    let busyTimeout: Double

    /// The model that the store keeps; nil if there is no store yet.
    ///
    /// - Throws: `ObjectStorageError`: a directory, not a database, another application's, locked.
    func model() throws(ObjectStorageError) -> ManagedObjectModel? {
        guard !path.isEmpty else {
            throw ObjectStorageError(
                .storeMissing, "The path of the store is empty. Give the path of the store's file.")
        }
        do {
            return try open(nil).model
        } catch  where error.code == .storeMissing {
            return nil
        }
    }

    /// Opens the store, or makes it.
    ///
    /// - Throws: `ObjectStorageError`, also if its directory is not there.
    func open(_ model: ManagedObjectModel?) throws(ObjectStorageError) -> PersistentContainer {
        do {
            return try PersistentContainer(
                url: PathArgument.url(path), model: model, options: StoreOptions(busyTimeout: busyTimeout))
        } catch  where error.code == .database && model != nil {
            // What cannot be added to may still be opened as it is.
            throw try open(nil).explained(error)
        }
    }
}
