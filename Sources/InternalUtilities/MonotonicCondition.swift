import Foundation

#if os(Linux) || os(Android)
/// A mutex with a condition variable whose timed waits use the monotonic clock.
///
/// Foundation's `NSCondition` waits until a time of day, so setting the clock back would prolong its waits.
///
/// SAFETY: Both POSIX objects are initialized once, never move, and may be used from any thread.
package final class MonotonicCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Creates an unlocked condition.
    package init() {
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

    /// Acquires the mutex.
    package func lock() { pthread_mutex_lock(mutex) }

    /// Releases the mutex, which the calling thread must hold.
    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Releases the mutex until another thread calls ``broadcast()`` or the duration has passed, then
    /// acquires it again. The wait may end early.
    package func wait(atMost duration: Duration) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let end = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) + duration
        var deadline = timespec()
        deadline.tv_sec = time_t(clamping: end.components.seconds)
        deadline.tv_nsec = Int(end.components.attoseconds / 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &deadline)
    }
}
#else
/// A mutex with a condition variable. On this system its timed waits use the time of day.
package final class MonotonicCondition: Sendable {
    private let condition = NSCondition()

    /// Creates an unlocked condition.
    package init() {}

    /// Acquires the mutex.
    package func lock() { condition.lock() }

    /// Releases the mutex, which the calling thread must hold.
    package func unlock() { condition.unlock() }

    /// Wakes all waiting threads.
    package func broadcast() { condition.broadcast() }

    /// Releases the mutex until another thread calls ``broadcast()`` or the duration has passed, then
    /// acquires it again. The wait may end early.
    package func wait(atMost duration: Duration) {
        _ = condition.wait(until: Date(timeIntervalSinceNow: duration / .seconds(1)))
    }
}
#endif
