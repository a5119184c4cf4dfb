import ArgumentParser
import SectionedFetch
import ToolSupport

/// The options for the store that caches are compared with.
struct ComparedStoreOptions: ParsableArguments {
    @Option(help: "The store or database of the cached requests.", completion: .file())
    var store: String?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var opening: ForeignStoreOptions
    @OptionGroup(title: "Request") var request: RequestOptions

    /// Opens a store or database as library-browser does, but checks the whole file first and writes nothing.
    ///
    /// - Throws: ``ObjectStorageError``; ``ToolFailure`` for an entity that cannot be listed.
    func open(_ path: String) throws -> PersistentContainer {
        let opened = try opening.openAny(
            path, opening.kind(of: path, database), database, entity: request.entity, isWholeChecked: true)
        try opened.checkEntity(request.entity)
        return opened.container
    }

    /// Returns a controller for the request with the cache `name` in `caches`.
    ///
    /// - Throws: ``ObjectStorageError``, ``ToolFailure``.
    func controller(
        named name: CacheName, in caches: SectionCacheStore, container: PersistentContainer
    ) throws -> (controller: FetchedResultsController<ManagedObject>, summary: String) {
        let list = try request.request(in: container)
        let controller = try FetchedResultsController(
            fetchRequest: list.fetchRequest, context: container.newContext(),
            sectionNameKeyPath: list.sectionKey,
            cacheName: name, cacheStore: caches)
        return (controller, list.summary)
    }
}
