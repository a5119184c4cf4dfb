import InternalUtilities
import Synchronization

/// The ways to look for neighbours that no index serves, which are left out for some time.
///
/// Not for good: an index may be created meanwhile, and whether one serves may depend on the rows.
final class LookupBackoff: Sendable {
    /// How often each is to be left out yet.
    private let rests = Mutex<[Int: Int]>([:])

    /// How many changes share the cost of a search that is broken off.
    private static let rest = 63

    /// Whether a way is to be tried now.
    func isToBeTried(_ way: Int) -> Bool {
        rests.withLock { rests in
            guard let rest = rests[way], rest > 0 else { return true }
            rests[way] = rest - 1
            return false
        }
    }

    /// Takes note of a way that was of no use.
    func leaveOut(_ way: Int) { rests.withLock { $0[way] = Self.rest } }
}
