// Shows ThreadSanitizer the locks of Swift's `Mutex`, as a library for LD_PRELOAD.
//
// A thread that finds a Mutex free takes it in code that the compiler puts into our own modules, and ThreadSanitizer sees
// that. If threads contend for the Mutex, they take and pass it on in libswiftSynchronization, which is not
// instrumented, so ThreadSanitizer would report all that the Mutex guards as a race. These functions stand before that
// library's and say what it does.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ThreadSanitizer's interface (sanitizer/tsan_interface_atomic.h); null in programs without it, such as the shell.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// The symbols of swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
    SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    next(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    SWIFT bool (*next)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool taken = next(self);
    if (taken && __tsan_acquire) __tsan_acquire(self);
    return taken;
}

SWIFT void unlock_slow(SELF) {
    SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    next(self);
}
