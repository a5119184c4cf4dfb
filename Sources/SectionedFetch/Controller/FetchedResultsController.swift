public import ObjectStorage
public import SectionCaching

/// Gives a list its sections and rows, and keeps the computed sections in a cache, so that the next start
/// need not compute them.
///
/// ```swift
/// let controller = try FetchedResultsController(
///     fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)]),
///     context: context, sectionNameKeyPath: "department", cacheName: "artworks")
/// try controller.performFetch()
/// controller.sections?.forEach { section in print(section.name, section.numberOfObjects) }
/// ```
///
/// The model is Core Data's `NSFetchedResultsController`. What differs is on purpose: a cache that does not
/// fit is a miss with a reason, never an exception; two requests may share a cache name; the request is taken
/// over as a value when the controller is made.
///
/// With a ``delegate``, or with a listener to ``changes``, the controller follows changes of its context and
/// reports them: <doc:Changes>.
///
/// A controller is confined to its context's isolation.
public final class FetchedResultsController<Object: ManagedObject> {
    /// What the controller does when data change.
    public enum Mode: Hashable, Sendable {
        /// Changes are not followed: the results stay those of the last fetch or report.
        case frozen
        /// Changes are followed for a delegate, or for a listener to ``FetchedResultsController/changes``.
        case tracked
        /// Changes are followed, and the cache entry with them.
        case trackedAndPersisted
    }

    /// The context that the objects belong to.
    public let managedObjectContext: ManagedObjectContext
    /// The request, as it was when the controller was made or when it was replaced.
    public internal(set) var fetchRequest: FetchRequest<Object>
    /// What rows are grouped by, or nil for one section.
    public internal(set) var sectionKey: SectionKey?
    /// The cache that the sections are kept in, or nil for none.
    public let cacheName: CacheName?
    /// Where that cache is.
    public let cacheStore: SectionCacheStore
    /// The object that supplies index titles and receives changes. The controller holds it weakly.
    ///
    /// Changes are followed from the next ``performFetch()`` on, or from now on if there are results. The
    /// first report is relative to the results shown, so it includes changes that were made since they were
    /// fetched: rows as events where the store's log has them, else a reload.
    ///
    /// When the delegate is released, ``mode`` is ``Mode/frozen`` and ``trackingError`` says so.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)? {
        didSet {
            hasDelegate = delegate?.tracksChanges ?? false
            followIfWanted()
        }
    }
    /// Whether the delegate that was assigned last follows changes, released or not.
    private(set) var hasDelegate = false

    /// Whether the last fetch's sections came from the cache, and if not, why. Nil before the first fetch,
    /// and without a cache name.
    public internal(set) var cacheLookup: CacheLookup?

    /// From this number of changed rows on a change is reported as one reload, without events for rows.
    /// 10,000 unless something else is assigned.
    ///
    /// A change of very many rows costs whoever applies it more than showing everything anew.
    public var reloadThreshold = 10_000

    /// How far a fetch verifies what the cache says before it uses it: by its token unless something else is
    /// assigned.
    public var cacheVerificationLevel = CacheVerificationLevel.token

    var request: ResultsRequest
    /// Which of all that were to be shown the request is.
    var requestNumber = 0
    /// How often the request was replaced.
    var numberOfReplacements = 0
    var results: Results?
    /// What the controller knows while it follows changes; nil while it does not.
    var tracking: ResultsFollower?
    /// How many of those who paused the reports have not resumed them.
    var pauses = 0
    /// Has the context merge what others commit while changes are followed on an actor.
    var merging: ContinuousMerging?
    /// The actor of the last fetch, in whose isolation the controller is.
    weak var actor: (any Actor)?
    /// Those who listen to ``changes``; nil while there was none.
    var listeners: ChangeListeners?

    /// What one fetch found.
    struct Results {
        let index: SectionIndex
        let rows: ResultsIndex
        let objects: FetchedObjects<Object>
        /// The objects that were never saved, with the keys that the index has for them.
        let provisionalKeys: [ManagedObject: Int64]
        /// The request that they are of, which the controller's is no more once that was replaced in the
        /// middle of a report.
        let fetchRequest: FetchRequest<Object>
        let request: ResultsRequest
        let requestNumber: Int
        /// The version that changes of the results are computed from.
        let version: ResultsVersion
        /// Finds rows in the index and brings it up to date.
        var editor: SectionIndexEditor
    }

    /// Makes a controller. Nothing is fetched before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - fetchRequest: What to show, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to.
    ///   - sectionNameKeyPath: What to group by. The order must keep the rows of a section together.
    ///   - cacheName: The cache to keep the sections in. Nil writes nothing to disk.
    ///   - cacheStore: Where caches are.
    /// - Throws: ``ObjectStorageError``: no sort descriptor, an unknown entity or property, a key path that
    ///   cannot be followed.
    public init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionNameKeyPath: SectionKey? = nil,
        cacheName: CacheName? = nil, cacheStore: SectionCacheStore = .default
    ) throws(ObjectStorageError) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        sectionKey = sectionNameKeyPath
        self.cacheName = cacheName
        self.cacheStore = cacheStore
        request = try ResultsRequest(
            fetchRequest.description, sectionKey: sectionNameKeyPath, container: context.container)
    }

    deinit { listeners?.finish() }

    /// The controller's behaviour when data change: ``Mode/frozen`` before the first fetch, after a reset of
    /// the context, and while there is neither a delegate that follows changes nor a listener.
    public var mode: Mode {
        guard isHeard, tracking != nil, results != nil else { return .frozen }
        return cacheName == nil ? .tracked : .trackedAndPersisted
    }

    /// Deletes the cache called `name`, or all caches for nil. Does nothing if there is none.
    ///
    /// Controllers that show rows of it go on answering. Nothing needs this for correctness: a cache that
    /// does not fit the data any more is not used.
    public static func deleteCache(named name: CacheName?, in store: SectionCacheStore = .default) {
        store.deleteCache(named: name)
    }
}
