#ifndef BRIDGED_MAIN_QUEUE_H
#define BRIDGED_MAIN_QUEUE_H

#ifdef __linux__
#include <stdint.h>
#include <unistd.h>

// The hooks of libdispatch for a run loop that drains the main queue itself, as CoreFoundation's does: an eventfd that
// is readable while the main queue has work, and the function that does the work. libdispatch.so exports them, but no
// header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

// Runs the work of the main queue, when its descriptor can be read.
static inline void bridged_drain_main_queue(int descriptor) {
    // The eight bytes must be read first, or the descriptor stays readable.
    uint64_t count = 0;
    ssize_t size = read(descriptor, &count, sizeof(count));
    (void)size;
    _dispatch_main_queue_callback_4CF(0);
}
#endif

#endif
