import SectionedFetch
import ToolSupport

/// Other programs that write to the store during an import.
extension Importer {
    /// The error of an import that can begin again: another program added or changed an entity of the mapping
    /// after the file was examined. Nothing was imported.
    struct StoreChanged: Error {
        /// The failure for an import that does not begin again.
        let failure: ToolFailure
    }

    /// Returns the error as that of an import that can begin again, or nil for another error.
    func storeChanged(_ error: any Error) -> StoreChanged? {
        guard let error = error as? ObjectStorageError, error.code == .modelMismatch,
            Int64(recordCount) == options.start?.records ?? 0
        else { return nil }
        return StoreChanged(failure: failure(error))
    }

    /// Forgets the keys of related objects, and of the rows that were found, if another program has written
    /// to the store since the last batch: it may have deleted the objects, or inserted rows.
    func forgetChangedKeys(_ writer: BatchWriter) throws(ObjectStorageError) {
        let version = try writer.versionOfOthers()
        if let storeVersion, storeVersion != version {
            relatedKeys = relatedKeys.map { _ in RelatedKeyCache() }
            repeatedKeys = nil
        }
        storeVersion = version
    }

    /// Prepares look-ups by the key, which the store may not declare unique.
    func prepareKey(_ writer: BatchWriter) throws(ObjectStorageError) {
        guard let key = mapping.key else { return }
        try writer.prepareKey(key, ofEntityNamed: mapping.entity, isChecked: isKeyChecked)
        isKeyChecked = true
    }
}
