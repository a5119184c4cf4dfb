/// A task that merges changes committed elsewhere until this object is released.
package final class ContinuousMerging: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - arrivals: A sequence with an element whenever changes are waiting to be merged.
    ///   - target: The context to merge into, held weakly. A task in the actor's isolation would keep the
    ///     actor alive, and with it the context and this object.
    init(of arrivals: AsyncStream<Void>, to target: MergingTarget) {
        task = Task { await Self.merge(arrivals) { await target.merge() } }
    }

    /// Merges at each arrival until the task is cancelled or the sequence ends. A failed merge is retried
    /// after one second, then after twice the previous delay, up to a minute.
    ///
    /// - Parameter body: Merges the waiting changes; returns whether none are left.
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

/// A context and the actor that it is confined to, both held weakly.
///
/// SAFETY: the context is accessed only in the actor's isolation.
final class MergingTarget: @unchecked Sendable {
    private weak var context: ManagedObjectContext?
    private weak var actor: (any Actor)?

    init(context: ManagedObjectContext, isolation: any Actor) {
        self.context = context
        actor = isolation
    }

    /// Merges the waiting changes.
    ///
    /// - Returns: Whether no changes are left to merge.
    func merge() async -> Bool {
        guard let actor else { return true }
        return await merge(isolation: actor)
    }

    private func merge(isolation: isolated any Actor) -> Bool { context?.mergeArrived() ?? true }
}
