import ArgumentParser
import SectionedFetch
import ToolSupport

/// The store whose caches are compared with it.
struct ComparedStoreOptions: ParsableArguments {
    @Option(help: "The store that the cache was made from.")
    var store: String?

    @OptionGroup var opening: ForeignStoreOptions
    @OptionGroup(title: "The request") var request: RequestOptions

    /// A controller for the request, which would look up `name` in `caches`.
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
