import CoreDataStores
import Foundation
package import SectionedFetch

extension ForeignStoreOptions {
    /// Opens an existing store, or any other SQLite database read-only with the entities that its tables can
    /// be. Nothing is written to such a database, and no file is left beside it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - kind: The kind of the database, as ``kind(of:_:)`` returns it.
    ///   - database: The options for its entities.
    ///   - entity: The name of the entity that is listed, which may be a view; nil for the first one.
    ///   - isWholeChecked: Whether the structure of the whole file is checked first, and nothing is written.
    /// - Throws: ``ObjectStorageError`` as for a store, and for a model that does not fit the tables.
    package func openAny(
        _ path: String, _ kind: DatabaseSurvey.Kind?, _ database: DatabaseOptions, entity: String?,
        isWholeChecked: Bool
    ) throws(ObjectStorageError) -> AnyDatabase {
        limitProcess()
        let url = PathArgument.url(path)
        // A Core Data store is not read as a database of plain tables: its dates, entities and links have
        // Core Data's own forms.
        if kind == .coreDataStore {
            let store = try coreDataStore(at: path, database, isWholeChecked: isWholeChecked)
            return AnyDatabase(container: try open(store), survey: nil, coreDataStore: store)
        }
        let views = database.readableViews(ofEntity: entity)
        if let model = database.model {
            let model = try ManagedObjectModel(contentsOf: PathArgument.url(model))
            var options = untrackedOptions(isUntrusted: isWholeChecked)
            let container: PersistentContainer
            do throws(ObjectStorageError) {
                container = try PersistentContainer(url: url, model: model, options: options)
            } catch {
                // A model of tables alone needs no views, and its lists can be cached.
                guard views != .none else { throw error }
                options.readableViews = views
                container = try PersistentContainer(url: url, model: model, options: options)
            }
            return AnyDatabase(container: container, survey: nil)
        }
        guard kind == .other else {
            let container = isWholeChecked ? try openToInspect(path) : try open(path)
            return AnyDatabase(container: container, survey: nil)
        }
        var options = untrackedOptions(isUntrusted: isWholeChecked, views: views)
        let survey = try DatabaseSurvey(of: url, options: options)
        // If the name is not that of a view, no view may be read, and lists can be cached.
        if !survey.tables.contains(where: { $0.kind == .view && views.contains($0.name) }) {
            options.readableViews = .none
        }
        return AnyDatabase(
            container: try PersistentContainer(url: url, model: survey.model, options: options),
            survey: survey)
    }

    /// Reads the model of a store that Core Data wrote.
    ///
    /// - Throws: ``ObjectStorageError`` for a store whose model cannot be read.
    private func coreDataStore(
        at path: String, _ database: DatabaseOptions, isWholeChecked: Bool
    ) throws(ObjectStorageError) -> CoreDataStore {
        try CoreDataStore(
            contentsOf: PathArgument.url(path), model: database.model.map(PathArgument.url),
            options: readingOptions(isUntrusted: isWholeChecked))
    }

    /// Opens a store that Core Data wrote. The whole file has been checked before, if the options require it.
    private func open(_ store: CoreDataStore) throws(ObjectStorageError) -> PersistentContainer {
        var options = readingOptions(isUntrusted: false)
        options.cachesByFileState = true
        return try PersistentContainer(store, options: options)
    }

    /// Returns the kind of a database; nil if a model in JSON maps entities to its tables.
    ///
    /// A file whose schema cannot be read is not opened in another way, in which SQLite could write to it.
    ///
    /// - Throws: ``ObjectStorageError`` as ``DatabaseSurvey/kind(of:options:)``.
    package func kind(
        of path: String, _ database: DatabaseOptions
    ) throws(ObjectStorageError) -> DatabaseSurvey.Kind? {
        guard !database.mapsEntities else { return nil }
        try checkPath(path)
        limitProcess()
        return try TextFile.explaining(path) { () throws(ObjectStorageError) in
            try DatabaseSurvey.kind(
                of: PathArgument.url(path), options: untrackedOptions(isUntrusted: false))
        }
    }

    private func untrackedOptions(
        isUntrusted: Bool, views: StoreOptions.ReadableViews = .none
    ) -> StoreOptions {
        var options = readingOptions(isUntrusted: isUntrusted)
        options.readableViews = views
        options.existingTables = .untracked
        options.cachesByFileState = true
        options.preservesFiles = true
        return options
    }
}
