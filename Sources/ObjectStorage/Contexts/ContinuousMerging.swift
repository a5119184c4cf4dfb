/// The merging of what others commit, which goes on as long as somebody holds this.
package final class ContinuousMerging: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - arrivals: Says when something waits to be merged.
    ///   - place: Where it is merged. A task in that isolation would keep its actor alive, which has the context, and that what holds this.
    init(of arrivals: AsyncStream<Void>, to place: MergingPlace) {
        task = Task {
            for await _ in arrivals {
                var delay = MergingDelay()
                while await !place.merge() {
                    do { try await delay.pass() } catch { return }
                }
            }
        }
    }

    deinit { task.cancel() }
}

/// A context and the actor that it is confined to, neither of which is kept alive.
///
/// SAFETY: the context is looked at in the actor's isolation alone.
final class MergingPlace: @unchecked Sendable {
    private weak var context: ManagedObjectContext?
    private weak var actor: (any Actor)?

    init(context: ManagedObjectContext, isolation: any Actor) {
        self.context = context
        actor = isolation
    }

    /// Merges what is waiting.
    ///
    /// - Returns: Whether there is nothing left to be merged.
    func merge() async -> Bool {
        guard let actor else { return true }
        return await merge(isolation: actor)
    }

    private func merge(isolation: isolated any Actor) -> Bool { context?.mergeArrived() ?? true }
}

/// How long what could not be merged waits for the next try: a second, then twice the time, up to a minute.
struct MergingDelay {
    private var seconds = 1

    /// Waits.
    ///
    /// - Throws: `CancellationError`.
    mutating func pass() async throws {
        try await Task.sleep(for: .seconds(seconds))
        seconds = min(2 * seconds, 60)
    }
}
