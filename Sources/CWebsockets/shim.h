// The parts of libwebsockets that Swift cannot import, and two functions of libdispatch that no public header declares.
// Names that are defined here begin with `bridged_`.
#ifndef BRIDGED_CWEBSOCKETS_SHIM_H
#define BRIDGED_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>

// LWS_PRE, which a macro computes: how many bytes before the payload lws_write() may overwrite.
static inline size_t bridged_lws_pre(void) { return LWS_PRE; }

// The log levels, which are macros with shifts.
static inline int bridged_lws_log_levels(void) { return LLL_ERR | LLL_WARN | LLL_NOTICE; }
static inline int bridged_lws_is_error(int level) { return level == LLL_ERR; }
static inline int bridged_lws_is_warning(int level) { return level == LLL_WARN; }

// OpenSSL's SSL_OP_NO_TLSv1 and SSL_OP_NO_TLSv1_1: RFC 8996 forbids these versions.
static inline long bridged_outdated_tls_versions(void) { return 0x04000000L | 0x10000000L; }

// Whether lws_context_destroy() closes the descriptor of its event pipe a second time, in the libuv loop.
static inline int bridged_lws_closes_event_pipe_twice(void) { return LWS_LIBRARY_VERSION_NUMBER < 4003005; }

#ifdef __linux__
// The hooks of libdispatch for a run loop that drains the main queue itself, as CoreFoundation's does: an eventfd that
// is readable while the main queue has work, and the function that does the work. libdispatch.so exports them, but no
// header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);
#endif

#endif
