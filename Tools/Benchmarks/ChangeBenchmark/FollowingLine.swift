/// The times that a process which follows changes prints for the benchmark.
struct FollowingLine: Codable {
    /// The milliseconds of each save for one kind of change, which is made in three ways in turn.
    struct Times: Codable {
        /// The saves of a context whose controller has a delegate and a cache, until the save returns. By
        /// then the delegate has received all events.
        var followed: [Double] = []
        /// The saves of a context without a controller.
        var alone: [Double] = []
        /// The commits of SQLite's own calls to a table without triggers.
        var bare: [Double] = []
        /// The time after each save until another thread has updated the controller's cache.
        var cached: [Double] = []

        /// The difference between the library and the bare commit for each save.
        var aboveBare: [Double] { zip(followed, bare).map { $0 - $1 } }

        mutating func append(_ other: Times) {
            followed += other.followed
            alone += other.alone
            bare += other.bare
            cached += other.cached
        }
    }

    /// The first save of each kind in a process. The very first one also reads the order of all rows.
    var first: [ChangeKind: Times] = [:]
    /// The later saves.
    var steady: [ChangeKind: Times] = [:]
}
