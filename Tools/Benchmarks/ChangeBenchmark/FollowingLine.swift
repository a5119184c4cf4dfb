/// What one process that follows changes measured, as it prints it for the benchmark.
struct FollowingLine: Codable {
    /// The milliseconds of one kind of change, save by save: the same change made in three ways in turn.
    struct Times: Codable {
        /// Saved by a context whose controller has a delegate and a cache, until the save returns. By then
        /// the delegate has heard of everything.
        var followed: [Double] = []
        /// Saved by a context that no controller follows.
        var alone: [Double] = []
        /// Committed by SQLite's own calls to a table without triggers.
        var bare: [Double] = []
        /// What another thread took after the save until the controller's cache was up to date.
        var cached: [Double] = []

        /// Save by save, what the library takes above the bare commit.
        var aboveBare: [Double] { zip(followed, bare).map { $0 - $1 } }

        mutating func append(_ other: Times) {
            followed += other.followed
            alone += other.alone
            bare += other.bare
            cached += other.cached
        }
    }

    /// The first save of each kind of a process; the first of all finds out where each row is.
    var first: [ChangeKind: Times] = [:]
    /// The saves after that.
    var steady: [ChangeKind: Times] = [:]
}
