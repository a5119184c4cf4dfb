public import ObjectStorage
public import SectionCaching

/// Section keys as Swift key paths and as texts that are known only at run time.
extension FetchedResultsController {
    /// Creates a controller with sections by the value at a key path:
    /// `sectionNameKeyPath: \.artist?.name`.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to.
    ///   - sectionNameKeyPath: The key path of the value that groups rows into sections, through declared
    ///     properties; any other traps. The order must keep the rows of a section together.
    ///   - cacheName: The name of the cache to keep the sections in. With nil, nothing is written to disk.
    ///   - cacheStore: The store of the caches.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as the initializer with a ``SectionKey`` does.
    public convenience init<Value>(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionNameKeyPath: KeyPath<Object, Value>, cacheName: CacheName? = nil,
        cacheStore: SectionCacheStore = .default
    ) throws(ObjectStorageError) {
        try self.init(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: .path(sectionNameKeyPath),
            cacheName: cacheName, cacheStore: cacheStore)
    }

    /// Creates a controller with sections by the value at a key path without a root:
    /// `sectionNameKeyPath: .path(\.artist?.name)`.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to.
    ///   - sectionNameKeyPath: The key path of the value that groups rows into sections. The order must keep
    ///     the rows of a section together.
    ///   - cacheName: The name of the cache to keep the sections in. With nil, nothing is written to disk.
    ///   - cacheStore: The store of the caches.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as the initializer with a ``SectionKey`` does.
    public convenience init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionNameKeyPath: SectionKeyPath<Object>, cacheName: CacheName? = nil,
        cacheStore: SectionCacheStore = .default
    ) throws(ObjectStorageError) {
        try self.init(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath.key,
            cacheName: cacheName, cacheStore: cacheStore)
    }

    /// Creates a controller with sections by the value at a dotted key path, in a variable.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to.
    ///   - sectionNameKeyPath: The key path of the value that groups rows into sections, with property names
    ///     separated by full stops. The order must keep the rows of a section together.
    ///   - cacheName: The name of the cache to keep the sections in. With nil, nothing is written to disk.
    ///   - cacheStore: The store of the caches.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as the initializer with a ``SectionKey`` does.
    public convenience init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext, sectionNameKeyPath: String,
        cacheName: CacheName? = nil, cacheStore: SectionCacheStore = .default
    ) throws(ObjectStorageError) {
        try self.init(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: .path(sectionNameKeyPath),
            cacheName: cacheName, cacheStore: cacheStore)
    }
}
