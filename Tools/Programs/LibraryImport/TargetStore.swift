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
            return try open().model
        } catch  where error.code == .storeMissing {
            return nil
        }
    }

    /// Opens the store with the model that it keeps.
    func open() throws(ObjectStorageError) -> PersistentContainer {
        try PersistentContainer(url: url, options: options)
    }

    var url: URL { PathArgument.url(path) }

    /// How it is opened. An import adds entities and changes none, so one that differs was changed meanwhile.
    var options: StoreOptions { StoreOptions(busyTimeout: busyTimeout, migratesAutomatically: false) }
}
