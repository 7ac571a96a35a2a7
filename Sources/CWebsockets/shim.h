// What Swift can't import from libwebsockets, and two entry points of libdispatch that have no public header.
// Every name of ours begins with `bridged_`.
#ifndef BRIDGED_CWEBSOCKETS_SHIM_H
#define BRIDGED_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>

// LWS_PRE is computed by a macro: the bytes that lws_write() may overwrite before the payload.
static inline size_t bridged_lws_pre(void) { return LWS_PRE; }

// The log levels are macros with shifts.
static inline int bridged_lws_log_levels(void) { return LLL_ERR | LLL_WARN | LLL_NOTICE; }
static inline int bridged_lws_is_error(int level) { return level == LLL_ERR; }
static inline int bridged_lws_is_warning(int level) { return level == LLL_WARN; }

// OpenSSL's SSL_OP_NO_TLSv1 and SSL_OP_NO_TLSv1_1, which RFC 8996 has done away with.
static inline long bridged_outdated_tls_versions(void) { return 0x04000000L | 0x10000000L; }

// The descriptor becomes one that lws polls and closes. lws_sock_file_fd_type is a union.
static inline struct lws *bridged_lws_adopt_file(struct lws_vhost *vhost, int fd, const char *protocol) {
    lws_sock_file_fd_type descriptor;
    descriptor.filefd = fd;
    return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, protocol, NULL);
}

#ifdef __linux__
// libdispatch's hooks for a run loop that drains the main queue itself (CoreFoundation's does): an eventfd that is readable
// while the main queue has work, and the function that does the work. Exported by libdispatch.so, declared in no header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);
#endif

#endif
