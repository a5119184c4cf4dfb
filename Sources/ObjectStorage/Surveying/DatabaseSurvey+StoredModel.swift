package import Foundation

extension DatabaseSurvey {
    /// Returns the model in a store of the library or in a tracked database, without comparing it with the
    /// tables; nil for another database.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - options: As in ``init(of:for:examining:options:)``.
    /// - Throws: ``ObjectStorageError`` as ``init(of:for:examining:options:)``, and for a model that cannot
    ///   be read.
    package static func storedModel(
        of url: URL, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) -> ManagedObjectModel? {
        try reading(url, options) { source in
            try PersistentContainer.keptModel(in: source).map {
                try ManagedObjectModel(jsonText: $0.jsonText)
            }
        }
    }
}
