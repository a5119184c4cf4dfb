import InternalUtilities
import ObjectModel
import Synchronization

/// The neighbour look-ups that found no suitable index, which are skipped for some time.
///
/// The look-ups are tried again later, because an index may have been created, or the rows may have changed.
package final class LookupBackoff: Sendable {
    /// The remaining number of times that each alternative is skipped.
    private let rests = Mutex<[Int: Int]>([:])

    /// The number of times that an unsuccessful alternative is skipped, so that many changes share the cost
    /// of its search.
    private static let rest = 63

    /// Returns whether an alternative should be tried now.
    package func isToBeTried(_ way: Int) -> Bool {
        rests.withLock { rests in
            guard let rest = rests[way], rest > 0 else { return true }
            rests[way] = rest - 1
            return false
        }
    }

    /// Records that an alternative was not successful, so that it is skipped for some time.
    package func leaveOut(_ way: Int) { rests.withLock { $0[way] = Self.rest } }
}
