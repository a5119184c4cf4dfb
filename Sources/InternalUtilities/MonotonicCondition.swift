import Foundation

#if os(Linux) || os(Android)
/// A lock with a condition. Its waits end by a clock that nobody sets: Foundation's condition waits until a
/// time of day, and who sets that back by a year would have it wait for as long.
///
/// SAFETY: both are initialized when it is made, stay where they are, and are what POSIX has for use by
/// several threads.
final class MonotonicCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes all that wait.
    func broadcast() { pthread_cond_broadcast(condition) }

    /// Lets go of the lock until somebody wakes the caller, at most for so long. It may come back sooner.
    func wait(atMost duration: Duration) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let end = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) + duration
        var moment = timespec()
        moment.tv_sec = time_t(clamping: end.components.seconds)
        moment.tv_nsec = Int(end.components.attoseconds / 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &moment)
    }
}
#else
/// A lock with a condition, where the system's has no other clock than the time of day.
final class MonotonicCondition: Sendable {
    private let condition = NSCondition()

    func lock() { condition.lock() }

    func unlock() { condition.unlock() }

    /// Wakes all that wait.
    func broadcast() { condition.broadcast() }

    /// Lets go of the lock until somebody wakes the caller, at most for so long. It may come back sooner.
    func wait(atMost duration: Duration) {
        _ = condition.wait(until: Date(timeIntervalSinceNow: duration / .seconds(1)))
    }
}
#endif
