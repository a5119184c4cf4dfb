public import ObjectStorage
public import Observation
public import SectionCaching

/// The results of a request as an observable model, for views.
///
/// ```swift
/// let songs = ObservedResults(
///     FetchRequest<Song>(sortDescriptors: [.ascending(\.genre), .ascending(\.title)]), in: context,
///     sectionNameKeyPath: "genre")
/// songs.request.predicate = \.year < 1970  // fetches, and then follows the new request
/// ```
///
/// The model owns a results controller. It begins to fetch when it is created, on another thread if the
/// store can be read there, and follows changes as long as it exists. A report of the controller, like the
/// end of a fetch, changes ``sections``, ``fetchedObjects`` and ``snapshot`` together. SwiftUI's views and
/// other observers of the model are notified once for it. Errors never trap and are never thrown: they are in
/// ``error``, and the last results remain.
///
/// The class is not `Sendable`. A model belongs to the isolation that creates it, which must be that of its
/// context: usually the main actor, equally any other actor. On an actor, changes of other contexts and
/// programs arrive without a call. A model that is created without an actor, or in an actor's initializer,
/// fetches in the call that creates it or sets its request, and follows changes when its context merges them.
///
/// In SwiftUI a view keeps the model in its state and needs nothing else:
///
/// ```swift
/// @State private var songs: ObservedResults<Song>
/// ```
///
/// A model that is discarded before its fetch begins, as SwiftUI discards the initial values of a state that
/// exists already, does not read the store. Observation concerns the list, not the properties of one object:
/// a view of a row reads the object's properties when the view is updated, with the list or by itself.
@Observable
public final class ObservedResults<Object: ManagedObject> {
    /// The results that are shown, which change together.
    private struct Shown {
        var rows: ResultsIndex?
        var sections: SectionList<Object>?
        var objects: FetchedObjects<Object>?
        var isProvisional = false
    }

    /// The state of fetching and following.
    private struct Status: Equatable {
        var isFetching = false
        var fetchError: ObjectStorageError?
        var followingError: ObjectStorageError?
    }

    private var shown = Shown()
    private var status = Status()
    private var wanted: WantedResults<Object>
    /// The controller that fetches and follows, for paths, index titles, pauses, delegates and further
    /// settings. Nil before the first fetch, and while the request is invalid.
    ///
    /// Replace the request through this model's properties, not through the controller's methods.
    @ObservationIgnored public private(set) var controller: FetchedResultsController<Object>?

    @ObservationIgnored private let context: ManagedObjectContext
    @ObservationIgnored private let cacheName: CacheName?
    @ObservationIgnored private let cacheStore: SectionCacheStore
    @ObservationIgnored private let firstScreen: Int
    /// The actor that the model is confined to.
    @ObservationIgnored private weak var actor: (any Actor)?
    @ObservationIgnored private let isOnActor: Bool
    /// The number of fetches that have begun. A fetch with a lower number is superseded.
    @ObservationIgnored private var fetchNumber = 0
    @ObservationIgnored private var fetching: Task<Void, Never>?
    /// Whether the controller does not have the wanted request yet.
    @ObservationIgnored private var isReplacementOwed = false

    /// Creates a model, which begins to fetch.
    ///
    /// - Parameters:
    ///   - request: The request, with at least one sort descriptor.
    ///   - context: The context that the objects will belong to, of the same isolation.
    ///   - sectionNameKeyPath: The key that groups rows into sections; nil for one section. The order must
    ///     keep the rows of a section together.
    ///   - cacheName: The name of the cache to keep the sections in. With nil, nothing is written to disk.
    ///   - cacheStore: The store of the caches.
    ///   - firstScreen: The number of rows to show before the whole list is computed, when the list is
    ///     fetched for the first time; 0 for none. ``isProvisional`` is true meanwhile.
    ///   - isolation: The isolation of the context. Leave it out: the default is that of the caller.
    public init(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext,
        sectionNameKeyPath: SectionKey? = nil, cacheName: CacheName? = nil,
        cacheStore: SectionCacheStore = .default, firstScreen: Int = 0,
        isolation: isolated (any Actor)? = #isolation
    ) {
        wanted = WantedResults(request: request, sectionKey: sectionNameKeyPath)
        self.context = context
        self.cacheName = cacheName
        self.cacheStore = cacheStore
        self.firstScreen = firstScreen
        actor = isolation
        isOnActor = isolation != nil
        beginFetch()
    }

    deinit { fetching?.cancel() }

    // MARK: Results

    /// The sections in order; nil before the first fetch, and between a reset of the context and the fetch
    /// after it.
    public var sections: SectionList<Object>? { shown.sections }

    /// All objects in order, across sections, which are read in batches when they are accessed; nil when
    /// ``sections`` is.
    public var fetchedObjects: FetchedObjects<Object>? { shown.objects }

    /// The number of rows; 0 before the first fetch.
    public var count: Int { shown.objects?.count ?? 0 }

    /// The results as an immutable value; nil before the first fetch.
    ///
    /// - Complexity: O(*u*) in the number of unsaved objects.
    public var snapshot: ResultsSnapshot<Object>? { shown.rows == nil ? nil : controller?.snapshot }

    /// Whether the results are the first screen of a list that is still computed.
    public var isProvisional: Bool { shown.isProvisional }

    // MARK: State

    /// Whether the results of ``request`` are being fetched. The previous results are shown until the fetch
    /// ends.
    public var isFetching: Bool { status.isFetching }

    /// The error of the last fetch or, if it succeeded, of following changes after it; nil if the results are
    /// those of ``request`` and follow changes. The last results remain; ``fetch(isolation:)`` tries again.
    public var error: ObjectStorageError? { status.fetchError ?? status.followingError }

    // MARK: Requests

    /// The request. Setting it fetches the results of the new one, which then take the place of the present
    /// ones; a request that is set in the meantime supersedes it.
    public var request: FetchRequest<Object> {
        get { wanted.request }
        set { show(newValue, sectionNameKeyPath: wanted.sectionKey) }
    }

    /// The key that groups rows into sections; nil for one section. Setting it fetches, as ``request`` does.
    /// If both are set in one turn of an actor, one fetch follows.
    public var sectionNameKeyPath: SectionKey? {
        get { wanted.sectionKey }
        set { show(wanted.request, sectionNameKeyPath: newValue) }
    }

    /// Sets the request and the section key at once, and fetches.
    ///
    /// - Parameters:
    ///   - request: The request, with at least one sort descriptor.
    ///   - sectionNameKeyPath: The key that groups rows into sections; nil for one section.
    public func show(_ request: FetchRequest<Object>, sectionNameKeyPath: SectionKey?) {
        wanted = WantedResults(request: request, sectionKey: sectionNameKeyPath)
        isReplacementOwed = controller != nil
        beginFetch()
    }

    /// Fetches again, for instance after an ``error``, and returns when no fetch runs.
    ///
    /// - Parameter isolation: The isolation of the model. Leave it out: the default is that of the caller.
    public func fetch(isolation: isolated (any Actor)? = #isolation) async {
        beginFetch()
        await fetchesCompleted(isolation: isolation)
    }

    /// Fetches in the isolation of the caller, before the call returns: for a view whose first frame must
    /// have its rows. This fetch supersedes one that runs.
    ///
    /// - Parameter isolation: The isolation of the model. Leave it out: the default is that of the caller.
    /// - Complexity: As ``FetchedResultsController/performFetch(isolation:)``.
    public func fetchNow(isolation: isolated (any Actor)? = #isolation) {
        supersedeFetch()
        do throws(ObjectStorageError) {
            let controller = try preparedController(isolation: isolation)
            if isReplacementOwed, controller.fetchedObjects != nil {
                try controller.replaceRequest(
                    with: wanted.request, sectionNameKeyPath: wanted.sectionKey,
                    reportsChange: controller.hasListenersOfApp, isolation: isolation)
                isReplacementOwed = false
            } else {
                try controller.performFetch(
                    reportsChange: controller.hasListenersOfApp, isolation: isolation)
            }
            endFetch(nil)
        } catch {
            endFetch(error)
        }
    }

    /// Returns when no fetch runs.
    ///
    /// - Parameter isolation: The isolation of the model. Leave it out: the default is that of the caller.
    public func fetchesCompleted(isolation: isolated (any Actor)? = #isolation) async {
        while status.isFetching, let fetching { await fetching.value }
    }
}

// MARK: Fetching

extension ObservedResults {
    /// Begins a fetch on the model's actor. Without an actor, carries out the fetch before it returns.
    private func beginFetch() {
        guard isOnActor else { return fetchNow(isolation: nil) }
        supersedeFetch()
        if !status.isFetching { status.isFetching = true }
        let fetch = ObservedFetch(self, actor, number: fetchNumber)
        fetching = Task { await fetch.run() }
    }

    /// Discards the result of the running fetch, and interrupts its statement.
    private func supersedeFetch() {
        fetchNumber += 1
        fetching?.cancel()
        fetching = nil
    }

    /// Carries out a fetch, unless another one supersedes it.
    fileprivate func fetch(number: Int, isolation: isolated any Actor) async {
        guard number == fetchNumber else { return }
        var failure: ObjectStorageError?
        do {
            let controller = try preparedController(isolation: isolation)
            if isReplacementOwed, controller.fetchedObjects != nil {
                try await controller.replaceRequestInBackground(
                    with: wanted.request, sectionNameKeyPath: wanted.sectionKey,
                    reportsChange: controller.hasListenersOfApp, isolation: isolation)
                if number == fetchNumber { isReplacementOwed = false }
            } else {
                try await controller.performFetchInBackground(
                    reportsChange: controller.hasListenersOfApp, firstScreen: firstScreen,
                    isolation: isolation)
            }
        } catch let error as ObjectStorageError {
            failure = error
        } catch is CancellationError {
            // The fetch was superseded, or the model is released.
        } catch {
            failure = ObjectStorageError(
                .database, "The results of “\(wanted.request.entityName)” could not be fetched: \(error).",
                entityName: wanted.request.entityName)
        }
        guard number == fetchNumber else { return }
        fetching = nil
        endFetch(failure)
    }

    /// Returns the controller with its request set, if it has no results yet.
    private func preparedController(
        isolation: isolated (any Actor)?
    ) throws(ObjectStorageError) -> FetchedResultsController<Object> {
        if let controller {
            if isReplacementOwed, controller.fetchedObjects == nil {
                try controller.replaceRequest(
                    with: wanted.request, sectionNameKeyPath: wanted.sectionKey, isolation: isolation)
                isReplacementOwed = false
            }
            return controller
        }
        let controller = try FetchedResultsController(
            fetchRequest: wanted.request, context: context, sectionNameKeyPath: wanted.sectionKey,
            cacheName: cacheName, cacheStore: cacheStore)
        controller.observer = ResultsObserver(
            resultsChanged: { [weak self] in self?.takeResults() },
            trackingErrorChanged: { [weak self] in self?.takeFollowingError() })
        self.controller = controller
        return controller
    }

    private func endFetch(_ failure: ObjectStorageError?) {
        takeResults()
        let new = Status(fetchError: failure, followingError: controller?.trackingError)
        if status != new { status = new }
    }

    /// Shows the controller's results, if they differ from those shown.
    private func takeResults() {
        takeFollowingError()
        guard let controller, let results = controller.results else {
            guard shown.rows != nil else { return }
            shown = Shown()
            // The context was reset. Without an actor the app has to fetch again.
            if isOnActor { beginFetch() }
            return
        }
        let isProvisional = controller.firstScreen != nil
        guard shown.rows !== results.rows || shown.isProvisional != isProvisional else { return }
        shown = Shown(
            rows: results.rows, sections: controller.sections, objects: results.objects,
            isProvisional: isProvisional)
    }

    private func takeFollowingError() {
        guard status.followingError != controller?.trackingError else { return }
        status.followingError = controller?.trackingError
    }
}

/// The request and the section key of a model.
private struct WantedResults<Object: ManagedObject> {
    let request: FetchRequest<Object>
    let sectionKey: SectionKey?
}

/// A fetch of a model, which keeps neither the model nor its actor alive before it begins.
///
/// SAFETY: the model is accessed only in the actor's isolation.
private final class ObservedFetch<Object: ManagedObject>: @unchecked Sendable {
    private weak var model: ObservedResults<Object>?
    private weak var actor: (any Actor)?
    private let number: Int

    init(_ model: ObservedResults<Object>, _ actor: (any Actor)?, number: Int) {
        self.model = model
        self.actor = actor
        self.number = number
    }

    func run() async {
        guard let actor else { return }
        await run(isolation: actor)
    }

    private func run(isolation: isolated any Actor) async {
        await model?.fetch(number: number, isolation: isolation)
    }
}
