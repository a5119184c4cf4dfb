/// How long somebody else is waited for who holds a lock.
enum LockRetrySchedule {
    /// Microseconds between the attempts: together 20 ms, which a fetch may wait for its cache. Who opens or
    /// closes an environment, or enters its table of readers, is done in less.
    static let naps: [UInt32] = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 7_250]
}
