import InternalUtilities
import ObjectStorage
import SectionCaching
import Mutants

/// The values derived from a request that following changes needs, each computed once.
final class ResultsRequestDetails: Sendable {
    struct State {
        var list: EntityDescription??
        var rows: CompiledRows?
        var relatedPaths: [RequestDescription.RelatedPath]?
        var propertiesRead: Set<String>?
        var collectionSteps: [RequestDescription.CollectionStep]?
        var aggregateSteps: [RequestDescription.CollectionStep]?
        var displayedSteps: [RequestDescription.CollectionStep]?
        var isFollowedByLog: Bool?
        var names: SectionNames?
        var cacheRequest: SectionCacheRequest?
    }

    private let state = LockedValue(State())
    private let all = LockedValue<ResultsRequest?>(nil)

    /// The request without its limit and offset.
    var withoutWindow: ResultsRequest? {
        get { all.withLock { $0 } }
        set { all.withLock { $0 = newValue } }
    }

    func value<Value>(
        _ keyPath: WritableKeyPath<State, Value?>, _ make: () throws -> Value
    ) rethrows -> Value {
        if let known = state.withLock({ $0[keyPath: keyPath] }) { return known }
        let made = try make()
        state.withLock { $0[keyPath: keyPath] = made }
        return made
    }
}
