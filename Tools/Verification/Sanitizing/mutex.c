// Tells the thread sanitizer what Swift's `Mutex` does where two threads meet.
//
// The quick ways of a Mutex are inlined into our code, where the sanitizer sees them. A contended one waits in the library
// that comes with the toolchain, which was not built for the sanitizer: without this it reports a race for every value that
// a mutex guards. Loaded before that library (Tools/sanitize), these three functions do what theirs do and say so.
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Of the sanitizer's library, and so in no other process that inherits the environment.
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
