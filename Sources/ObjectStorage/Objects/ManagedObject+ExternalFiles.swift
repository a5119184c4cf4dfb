import Foundation

extension ManagedObject {
    /// Returns the bytes of a file beside the store, whose name a column contains in place of the value
    /// (``ExistingTable/Form/prefixedBytes``).
    ///
    /// The directory is `.NAME_SUPPORT/_EXTERNAL_DATA`, where NAME is the name of the store without
    /// extension.
    ///
    /// - Parameter fileName: The name, a UUID as text.
    /// - Throws: ``ObjectStorageError`` if there is no such file, or it cannot be read.
    /// - Complexity: O(*n*) in the bytes of the file.
    final func externalFile(named fileName: String, slot: Int) throws(ObjectStorageError) -> StoredValue {
        let name = runtime.name(ofSlot: slot)
        guard let path = managedObjectContext?.container.filePath else {
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID): the object's context is gone, so “\(name)” can no longer be read. Keep the context as long as its objects.",
                entityName: entity.name, objectID: objectID)
        }
        let file = ExternalFiles.directory(ofStoreAt: path).appending(path: fileName)
        do {
            return .blob(Array(try Data(contentsOf: file, options: .mappedIfSafe)))
        } catch {
            throw ObjectStorageError(
                .objectMissing,
                "\(objectID), attribute “\(name)”: the value is in the file “\(file.path)”, which cannot be read. Copy the directory beside the store as well.",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
    }
}

/// The files in which Core Data keeps large values beside a store.
enum ExternalFiles {
    /// Returns the directory of a store's files.
    static func directory(ofStoreAt path: String) -> URL {
        let store = URL(filePath: path)
        return store.deletingLastPathComponent()
            .appending(path: ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
            .appending(path: "_EXTERNAL_DATA")
    }
}
