import Foundation
package import SectionedFetch

/// An open store, or the tables of another program's database as entities.
package struct AnyDatabase {
    /// The container of the store or database.
    package let container: PersistentContainer
    /// The survey of another program's database; nil for a store, and for a database with a given model.
    package let survey: DatabaseSurvey?

    /// Describes an open database.
    package init(container: PersistentContainer, survey: DatabaseSurvey?) {
        self.container = container
        self.survey = survey
    }
}

extension ForeignStoreOptions {
    /// Opens an existing store, or any other SQLite database read-only with the entities that its tables can
    /// be. Nothing is written to such a database, and no file is left beside it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - kind: The kind of the database; without a model in JSON, as ``kind(of:)`` returns it.
    ///   - model: The path of a model in JSON, whose entities are mapped to tables of the database; nil to
    ///     use the model in a store, or to infer one from the tables.
    ///   - views: The views that may be read.
    ///   - isWholeChecked: Whether the structure of the whole file is checked first.
    /// - Throws: ``ObjectStorageError`` as for a store, and for a model that does not fit the tables.
    package func openAny(
        _ path: String, _ kind: DatabaseSurvey.Kind?, model: String? = nil,
        views: StoreOptions.ReadableViews = .none, isWholeChecked: Bool
    ) throws(ObjectStorageError) -> AnyDatabase {
        limitProcess()
        let url = PathArgument.url(path)
        if let model {
            let model = try ManagedObjectModel(contentsOf: PathArgument.url(model))
            let options = untrackedOptions(isUntrusted: isWholeChecked, views: views)
            return AnyDatabase(
                container: try PersistentContainer(url: url, model: model, options: options), survey: nil)
        }
        switch kind {
        case .other:
            var options = untrackedOptions(isUntrusted: isWholeChecked, views: views)
            let survey = try DatabaseSurvey(of: url, options: options)
            // A name that is not that of a view permits nothing, and its lists can be cached.
            if !survey.tables.contains(where: { $0.kind == .view && views.contains($0.name) }) {
                options.readableViews = .none
            }
            return AnyDatabase(
                container: try PersistentContainer(url: url, model: survey.model, options: options),
                survey: survey)
        // A Core Data store is not read as a database of plain tables: its dates, entities and links have
        // forms of their own.
        case .coreDataStore, .store, .empty, nil:
            let container = isWholeChecked ? try openToInspect(path) : try open(path)
            return AnyDatabase(container: container, survey: nil)
        }
    }

    /// Returns the kind of a database. A file whose schema cannot be read is not opened in another way, in
    /// which SQLite could write to it.
    ///
    /// - Throws: ``ObjectStorageError`` as ``DatabaseSurvey/kind(of:options:)``.
    package func kind(of path: String) throws(ObjectStorageError) -> DatabaseSurvey.Kind {
        try checkPath(path)
        limitProcess()
        return try DatabaseSurvey.kind(
            of: PathArgument.url(path), options: untrackedOptions(isUntrusted: false))
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
