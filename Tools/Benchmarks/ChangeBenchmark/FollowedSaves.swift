import BenchmarkSupport
import SectionedFetch

/// The times of saves by a context whose list is followed, and by one without a controller, in turn.
struct FollowedSaves {
    /// The milliseconds of the saves of each context.
    let followed: Spread
    let bare: Spread

    /// The milliseconds that following adds.
    var above: Double { followed.median - bare.median }

    /// Measures a number of saves.
    ///
    /// - Parameters:
    ///   - warmUp: The number of saves before these that are not measured.
    ///   - context: The context of the followed list.
    ///   - alone: A context without a controller.
    ///   - change: Changes objects of a context in a round.
    init(
        _ count: Int, after warmUp: Int = 0, of context: ManagedObjectContext,
        besides alone: ManagedObjectContext, change: (Int, ManagedObjectContext) throws -> Void
    ) throws {
        var (followed, bare): ([Double], [Double]) = ([], [])
        for round in 0..<count + warmUp {
            for writer in [context, alone] {
                try change(round, writer)
                let start = ContinuousClock.now
                try writer.save()
                let time = (ContinuousClock.now - start) / .milliseconds(1)
                guard round >= warmUp else { continue }
                if writer === context { followed.append(time) } else { bare.append(time) }
            }
            // The other context's save is merged outside the measurement.
            try context.mergePendingChanges()
            try alone.mergePendingChanges()
        }
        (self.followed, self.bare) = (Spread(followed), Spread(bare))
    }
}
