/// One state of a store that contexts can be pinned to, like Core Data's `NSQueryGenerationToken`.
///
/// The state remains readable as long as the token, or a context that is pinned to it, exists.
///
/// Source: "NSQueryGenerationToken", developer.apple.com/documentation/coredata/nsquerygenerationtoken.
public final class QueryGenerationToken: Sendable {
    /// The state that the store has when the context next reads.
    public static let current = QueryGenerationToken(nil, of: nil)

    /// The state; nil for ``current``.
    let state: HeldState?
    /// The container whose store has the state; nil for ``current``.
    private let container: ObjectIdentifier?

    /// The state of the files of an untracked store; nil if caches do not rely on it.
    let stateOfFiles: StoreStateResult?

    init(
        _ state: HeldState?, of container: PersistentContainer?, stateOfFiles: StoreStateResult? = nil
    ) {
        self.state = state
        self.stateOfFiles = stateOfFiles
        self.container = container.map(ObjectIdentifier.init)
    }

    /// Whether a context of a container can be pinned to the state.
    func isValid(in container: PersistentContainer) -> Bool {
        self.container == nil || self.container == ObjectIdentifier(container)
    }
}
