/// The schedule of attempts to acquire a lock that another process holds.
enum LockRetrySchedule {
    /// The times between attempts in microseconds: 20 ms in total, which a fetch may wait for its cache.
    /// Opening or closing an environment, or entering its reader table, takes less.
    static let naps: [UInt32] = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 7_250]
}
