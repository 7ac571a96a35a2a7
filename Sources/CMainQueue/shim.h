#ifndef BRIDGED_MAIN_QUEUE_H
#define BRIDGED_MAIN_QUEUE_H

#ifdef __linux__
// The hooks of libdispatch for a run loop that drains the main queue itself, as CoreFoundation's does: an eventfd that
// is readable while the main queue has work, and the function that does the work. libdispatch.so exports them, but no
// header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);
#endif

#endif
