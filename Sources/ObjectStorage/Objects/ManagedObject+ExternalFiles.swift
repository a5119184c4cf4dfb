package import Foundation

extension ManagedObject {
    /// Returns the bytes of a file beside the store, whose name a column contains in place of the value
    /// (``ExistingTable/Form/prefixedBytes``).
    ///
    /// The directory is `.NAME_SUPPORT/_EXTERNAL_DATA`, where NAME is the name of the store's file without
    /// its extension.
    ///
    /// - Parameter fileName: The file's name, a UUID as text.
    /// - Throws: ``ObjectStorageError`` if there is no such regular file, or it cannot be read; with
    ///   ``ObjectStorageError/Code/limitExceeded`` if it is longer than ``StoreLimits/valueByteCount``.
    /// - Complexity: O(*n*) in the bytes of the file.
    final func externalFile(named fileName: String, slot: Int) throws(ObjectStorageError) -> StoredValue {
        let name = runtime.name(ofSlot: slot)
        guard let container = managedObjectContext?.container, let path = container.filePath else {
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID): the object's context is gone, so “\(name)” can no longer be read. Keep the context as long as its objects.",
                entityName: entity.name, objectID: objectID)
        }
        func failure(_ code: ObjectStorageError.Code, _ message: String) -> ObjectStorageError {
            ObjectStorageError(
                code, "\(objectID), attribute “\(name)”: \(message)", entityName: entity.name,
                propertyName: name, objectID: objectID)
        }
        let file = ExternalFiles.directory(ofStoreAt: path).appending(path: fileName)
        let size = ExternalFiles.size(ofFileAt: file.path)
        if let size, let limits = container.limits, size > limits.valueByteCount {
            throw failure(
                .limitExceeded,
                "the value is in the file “\(file.path)”, which has \(size) bytes, more than \(limits.valueByteCount) (valueByteCount). Raise the limit if the store is trusted."
            )
        }
        guard size != nil else {
            throw failure(
                .objectMissing,
                "the value is in the file “\(file.path)”, which does not exist or is not a regular file. Copy the directory beside the store as well."
            )
        }
        do {
            return .blob(Array(try Data(contentsOf: file, options: .mappedIfSafe)))
        } catch {
            throw failure(
                .objectMissing,
                "the value is in the file “\(file.path)”, which cannot be read: \(error.localizedDescription) Let this process read the file."
            )
        }
    }
}

/// The files in which Core Data keeps large values beside a store.
package enum ExternalFiles {
    /// Returns the directory of a store's files. A store to which a symbolic link leads has it beside the
    /// link's target.
    package static func directory(ofStoreAt path: String) -> URL {
        supportDirectory(ofStoreAt: path).appending(path: "_EXTERNAL_DATA")
    }

    /// Returns the directory beside a store that contains all its other files: `.NAME_SUPPORT`.
    package static func supportDirectory(ofStoreAt path: String) -> URL {
        let store = URL(filePath: SymbolicLinks.target(of: path) ?? path)
        return store.deletingLastPathComponent()
            .appending(path: ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// Returns the size of a regular file in bytes; nil for a missing file, and for a link, a pipe or a
    /// device, which a store from elsewhere may have in a file's place.
    static func size(ofFileAt path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
