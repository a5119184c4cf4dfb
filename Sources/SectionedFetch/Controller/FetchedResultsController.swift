public import ObjectStorage
public import SectionCaching

/// Provides a list with sections and rows, and keeps the computed sections in a cache, so that the next start
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
/// The class follows Core Data's `NSFetchedResultsController`, with intended differences: a cache entry that
/// does not fit is a miss with a reason, never an exception; two requests may share a cache name; the request
/// is copied as a value when the controller is created.
///
/// With a ``delegate`` or a ``sharedDelegate``, or with a listener to ``changes`` or ``snapshots``, the
/// controller follows changes of its context and reports them: <doc:FollowingChanges>.
///
/// A controller is confined to its context's isolation.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The behaviour of a controller when data change.
    public enum Mode: Hashable, Sendable {
        /// Changes are not followed: the results stay those of the last fetch or report.
        case frozen
        /// Changes are followed for a delegate, or for a listener to ``FetchedResultsController/changes``.
        case tracked
        /// Changes are followed, and the cache entry is updated with them.
        case trackedAndPersisted
    }

    /// The context that the objects belong to.
    public let managedObjectContext: ManagedObjectContext
    /// The request with which the controller was created, or its last replacement.
    public internal(set) var fetchRequest: FetchRequest<Object>
    /// The key that groups rows into sections, or nil for one section.
    public internal(set) var sectionKey: SectionKey?
    /// The name of the cache that keeps the sections, or nil for none.
    public let cacheName: CacheName?
    /// The store of that cache.
    public let cacheStore: SectionCacheStore
    /// The object that supplies index titles and receives changes. The controller holds it weakly.
    ///
    /// Changes are followed from the next ``performFetch(isolation:)`` on, or immediately if the controller
    /// has results. The first report is relative to the results shown, so it includes the changes since
    /// they were fetched: as events of rows if the store's log contains them, otherwise as a reload. Before
    /// the first fetch the delegate receives nothing, and no error: ``mode`` is ``Mode/frozen``, and
    /// ``trackingError`` is nil.
    ///
    /// When the delegate is released, ``mode`` is ``Mode/frozen`` and ``trackingError`` has the reason.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)? {
        didSet {
            hasDelegate = delegate?.tracksChanges ?? false
            followIfWanted()
        }
    }
    /// Whether the delegate that was assigned last follows changes, even if it has been released.
    private(set) var hasDelegate = false
    /// The object that receives changes as the ``delegate`` does, and may be shared with controllers of other
    /// classes. The controller holds a weak reference.
    public weak var sharedDelegate: (any SharedResultsDelegate)? {
        didSet {
            hasSharedDelegate = sharedDelegate?.tracksChanges ?? false
            followIfWanted()
        }
    }
    /// Whether the shared delegate that was assigned last follows changes, even if it has been released.
    private(set) var hasSharedDelegate = false
    /// The model that observes the results.
    var observer: ResultsObserver? { didSet { followIfWanted() } }

    /// The result of the last fetch's cache look-up: a hit, or a miss with its reason. Nil before the first
    /// fetch, and without a cache name.
    public internal(set) var cacheLookup: CacheLookup?

    /// The number of changed rows at which a change is reported as one reload, without events for rows. The
    /// default is 10,000.
    ///
    /// Applying a change of very many rows costs more than showing everything anew.
    public var reloadThreshold = 10_000

    /// The names and key paths of the properties whose changes are reported as updates of rows; nil, the
    /// default, for all. See ``reportUpdates(of:)``.
    public internal(set) var reportedProperties: Set<String>?

    /// The extent to which a fetch verifies a cache entry before it uses the entry. The default is
    /// ``CacheVerificationLevel/token``.
    public var cacheVerificationLevel = CacheVerificationLevel.token

    /// The identities of the sections that a view shows collapsed: with their number of rows, but without the
    /// rows. The default is empty.
    ///
    /// All changes inside a collapsed section are reported as one update of the section. A row that moves
    /// into it is reported as a deletion, and a row that moves out of it as an insertion. The results contain
    /// the rows of all sections, and ``SectionInfo/isCollapsed`` marks the collapsed ones. Setting the
    /// property reports no change, because the view that collapses a section shows it already.
    public var collapsedSections: Set<[UInt8]> = []

    /// The alphabet of the index bar, all of whose letters are in ``sectionIndexTitles``, even without a
    /// section; nil for the titles of the sections. The default is nil.
    ///
    /// ```swift
    /// controller.indexAlphabet = IndexAlphabet(Locale(identifier: "sv"))
    /// ```
    public var indexAlphabet: IndexAlphabet?

    /// The time that fetching a window again may take before its changes are followed through an index of all
    /// rows.
    package var windowThreshold = Duration.milliseconds(5)

    var request: ResultsRequest
    /// The number of ``request`` among all requests that the controller was given.
    var requestNumber = 0
    /// The number of replacements of the request that have begun.
    var numberOfReplacements = 0
    var results: Results?
    /// Results that another thread computed for the fetch that is running, and the number of their request.
    var preparedResults: (results: PreparedResults, requestNumber: Int)?
    /// The results of another thread for the present request.
    var prepared: PreparedResults? {
        preparedResults.flatMap { $0.requestNumber == requestNumber ? $0.results : nil }
    }
    /// The state of following changes; nil while changes are not followed.
    var follower: ResultsFollower?
    /// The number of pauses that were not resumed yet.
    var pauses = 0
    /// Keeps the context merging commits of other contexts and programs while changes are followed on an
    /// actor.
    var merging: ContinuousMerging?
    /// The actor of the last fetch, to which the controller is confined.
    weak var actor: (any Actor)?
    /// The listeners to ``changes`` and ``snapshots``; nil before the first one.
    var listeners: ChangeListeners<Object>?

    /// The results of one fetch or update.
    struct Results {
        let index: SectionIndex
        /// The sections of the index, or the sections above its subsections.
        let shown: ShownSections
        let rows: ResultsIndex
        let objects: FetchedObjects<Object>
        /// The objects that were never saved, with their keys in the index.
        let provisionalKeys: [ManagedObject: Int64]
        /// The request of these results. It differs from the controller's if that was replaced during a
        /// report.
        let fetchRequest: FetchRequest<Object>
        let request: ResultsRequest
        /// The number of the request; for a first screen, a number that no request has.
        var requestNumber: Int
        /// The version that changes of the results are computed from.
        let version: ResultsVersion
        /// The context's epoch of reading in which the results were found.
        let readEpoch: UInt64
        /// Finds rows in the index and updates the index.
        var editor: SectionIndexEditor
        /// Finds sections of the index by name and identity.
        let sectionLookup: SectionLookup
        /// The index of all rows, if the request has a limit or an offset and is followed through it.
        var window: ResultsWindow?
        /// The description of the first screen if these results are one; nil for the whole list.
        var firstScreen: FirstScreen?
    }

    /// Creates a controller. Nothing is fetched before ``performFetch(isolation:)``.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to.
    ///   - sectionNameKeyPath: The key that groups rows into sections. The order must keep the rows of a
    ///     section together.
    ///   - cacheName: The name of the cache to keep the sections in. With nil, nothing is written to disk.
    ///   - cacheStore: The store of the caches.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the request has no sort descriptor or an unknown
    ///   entity or property, or a key path cannot be followed.
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

    /// The controller's current behaviour when data change: ``Mode/frozen`` before the first fetch, during
    /// its first screen, after a reset of the context, and while the controller has neither a delegate that
    /// follows changes nor a listener.
    public var mode: Mode {
        guard hasListeners, follower != nil, results?.firstScreen == nil, results != nil else {
            return .frozen
        }
        return cacheName == nil ? .tracked : .trackedAndPersisted
    }

    /// Deletes the cache called `name`, or all caches for nil. Does nothing if no such cache exists.
    ///
    /// Controllers that show rows of a deleted cache continue to answer. Correctness never requires this
    /// call: a cache that does not fit the data is not used.
    ///
    /// - Parameters:
    ///   - name: The name of the cache; nil for all caches of the store.
    ///   - store: The store of the caches.
    public static func deleteCache(named name: CacheName?, in store: SectionCacheStore = .default) {
        store.deleteCache(named: name)
    }
}

extension FetchedResultsController where Object == ManagedObject {
    /// Deletes the cache called `name`, or all caches for nil, without naming a class of objects:
    /// `FetchedResultsController.deleteCache(named: "songs")`. Does nothing if no such cache exists.
    ///
    /// - Parameters:
    ///   - name: The name of the cache; nil for all caches of the store.
    ///   - store: The store of the caches.
    public static func deleteCache(named name: CacheName?, in store: SectionCacheStore = .default) {
        store.deleteCache(named: name)
    }
}
