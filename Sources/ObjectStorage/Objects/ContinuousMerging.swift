/// The merging of what others commit, which goes on as long as somebody holds this.
package final class ContinuousMerging: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - arrivals: Says when something waits to be merged.
    ///   - place: Where it is merged. A task in that isolation would keep its actor alive, which has the
    ///     context, and that what holds this.
    init(of arrivals: AsyncStream<Void>, to place: MergingPlace) {
        task = Task { await Self.merge(arrivals) { await place.merge() } }
    }

    /// Merges at each arrival until the task is cancelled or nothing arrives any more. What could not be
    /// merged is tried again after a second, then after twice the time, up to a minute.
    ///
    /// - Parameter body: Merges what is waiting, and tells whether nothing is left.
    static func merge(
        _ arrivals: AsyncStream<Void>, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Bool
    ) async {
        for await _ in arrivals {
            var seconds = 1
            while await !body() {
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
                seconds = min(2 * seconds, 60)
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
