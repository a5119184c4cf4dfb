// Reports the operations of Swift's `Mutex` on a contended lock to the thread sanitizer.
//
// The uncontended path of a Mutex is inlined into the project's code, where the sanitizer sees it. The
// contended path waits in the toolchain's library, which was not built for the sanitizer: without this file
// it reports a race for every value that a mutex guards. Tools/sanitize loads this file before that library.
// The three functions call the library's functions and report them.
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Defined by the sanitizer's library, and therefore null in other processes that inherit the environment.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT _Bool (*TryLock)(SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT _Bool tryLock(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void unlock(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

static Lock theirLock;
static TryLock theirTryLock;
static Unlock theirUnlock;

__attribute__((constructor)) static void find(void) {
    theirLock = (Lock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    theirTryLock = (TryLock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    theirUnlock = (Unlock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
}

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    theirLock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT _Bool tryLock(SELF void *mutex) {
    _Bool isLocked = theirTryLock(mutex);
    if (isLocked && __tsan_acquire) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    theirUnlock(mutex);
}
