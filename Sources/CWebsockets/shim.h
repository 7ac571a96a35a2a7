// The parts of libwebsockets that Swift cannot import, what differs between its versions (docs/notes/systems.md), and two
// functions of libdispatch that no public header declares.
// Names that are defined here begin with `bridged_`.
#ifndef BRIDGED_CWEBSOCKETS_SHIM_H
#define BRIDGED_CWEBSOCKETS_SHIM_H

// libwebsockets 4.0 includes uv.h. Included here before, its declarations belong to the module CLibuv.
#include "../CLibuv/shim.h"
#include <libwebsockets.h>
#include <stdlib.h>
#include <sys/ioctl.h>

// LWS_PRE, which a macro computes: how many bytes before the payload lws_write() may overwrite.
static inline size_t bridged_lws_pre(void) { return LWS_PRE; }

// The log levels, which are macros with shifts.
static inline int bridged_lws_log_levels(void) { return LLL_ERR | LLL_WARN | LLL_NOTICE; }
static inline int bridged_lws_is_error(int level) { return level == LLL_ERR; }
static inline int bridged_lws_is_warning(int level) { return level == LLL_WARN; }

// OpenSSL's SSL_OP_NO_TLSv1 and SSL_OP_NO_TLSv1_1: RFC 8996 forbids these versions.
static inline long bridged_outdated_tls_versions(void) { return 0x04000000L | 0x10000000L; }

// Leaves the process its user and group. The members were of type int before libwebsockets 4.2, and are unsigned since.
static inline void bridged_lws_keep_user(struct lws_context_creation_info *info) {
    info->uid = (uid_t)-1;
    info->gid = (gid_t)-1;
}

// Gives a context a log of its own, which the caller frees after the context; NULL if the version has none, as before 4.3.
// The log of the process counts the objects of all contexts. It does so without a lock, so that two contexts on two
// threads make it miscount and, in the end, abort the process (lwsl_refcount_cx).
static inline void *bridged_lws_make_log(
    struct lws_context_creation_info *info, void (*emit)(int level, const char *line)) {
#if LWS_LIBRARY_VERSION_NUMBER >= 4003000
    lws_log_cx_t *log = calloc(1, sizeof(lws_log_cx_t));
    if (!log) return NULL;
    log->u.emit = emit;
    log->lll_flags = (uint32_t)bridged_lws_log_levels();
    info->log_cx = log;
    return log;
#else
    (void)info, (void)emit;
    return NULL;
#endif
}

// The folder from which libwebsockets loads its plugin for libuv; NULL if it is built in, as before 4.1.
static inline const char *bridged_lws_plugin_folder(void) {
#ifdef LWS_WITH_EVLIB_PLUGINS
    return LWS_INSTALL_LIBDIR;
#else
    return NULL;
#endif
}

// Whether lws_context_destroy() closes the descriptor of its event pipe a second time, in the libuv loop.
static inline int bridged_lws_closes_event_pipe_twice(void) { return LWS_LIBRARY_VERSION_NUMBER < 4003005; }

// How many received bytes have not been read from a socket; 0 if the system does not say. FIONREAD is a macro that Swift
// cannot import on a Mac.
static inline int bridged_unread_bytes(int descriptor) {
    int unread = 0;
    return ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0 ? unread : 0;
}

#endif
