import Foundation
import SectionedFetch
import ToolSupport

/// The store that rows are written to.
struct TargetStore {
    /// The location of the store, which need not exist.
    let path: String
    /// The time to wait for another program's lock, in seconds.
    let busyTimeout: Double

    /// The time to wait for a turn to write, besides ``busyTimeout``.
    var patience = Duration.zero

    /// Returns the store's model, or nil if the store does not exist.
    ///
    /// - Throws: `ObjectStorageError` if a move to the store is unfinished, if the path is a directory, not a
    ///   database, or another application's database, or if the store is locked.
    func model() throws(ObjectStorageError) -> ManagedObjectModel? {
        guard !path.isEmpty else {
            throw ObjectStorageError(
                .storeMissing, "The path of the store is empty. Give the path of the store's file.")
        }
        do throws(ObjectStorageError) {
            let container = try open()
            if let record = try container.moveRecord() {
                throw ObjectStorageError(
                    .conflict,
                    "“\(path)” contains an unfinished move of “\(record.sourcePath)”. Nothing was imported. Run “library-import --from \(record.sourcePath) \(path)” to finish it, with --restart to begin it again."
                )
            }
            return container.model
        } catch  where error.code == .storeMissing {
            return nil
        }
    }

    /// Opens the store with its own model.
    func open() throws(ObjectStorageError) -> PersistentContainer {
        do throws(ObjectStorageError) {
            return try PersistentContainer(url: url, options: options)
        } catch {
            throw explained(error)
        }
    }

    /// Returns an error of opening the store with the remedies of this program.
    private func explained(_ error: ObjectStorageError) -> ObjectStorageError {
        switch error.code {
        case .storeMissing:
            return ObjectStorageError(
                .storeMissing, "There is no store at “\(path)”. Check the path, or import a file to make one."
            )
        case .notADatabase where TextFile.isAt(path):
            return ObjectStorageError(
                .notADatabase,
                "“\(path)” is not an SQLite database but a text file. The store is the last argument: pass its path after those of the files."
            )
        case .foreignStore:
            let move = "“library-import --from \(path) NEW.store” moves its contents into a new store"
            switch try? DatabaseSurvey.kind(of: url) {
            case .other:
                return ObjectStorageError(
                    .foreignStore,
                    "“\(path)” is a database of another program, and not a store. Pass another path for a new store. \(move), and “library-import adopt \(path) --tracked” makes its own tables readable and writable as entities."
                )
            case .coreDataStore:
                return ObjectStorageError(
                    .foreignStore,
                    "“\(path)” is a store of Core Data, and not of this library. Pass another path for a new store. \(move)."
                )
            default: return error
            }
        default: return error
        }
    }

    var url: URL { PathArgument.url(path) }

    /// The options for opening the store. An import adds entities and changes none, so an entity that differs
    /// was changed by another program in the meantime, and is not migrated.
    var options: StoreOptions { StoreOptions(busyTimeout: busyTimeout, migratesAutomatically: false) }
}
