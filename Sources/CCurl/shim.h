// The functions of libcurl that requests need. They are looked up when the program runs: libcurl.so.4 is there wherever
// Foundation's URLSession is, but its headers often are not. The numbers belong to libcurl's stable ABI (curl/curl.h).
#ifndef BRIDGED_CCURL_SHIM_H
#define BRIDGED_CCURL_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

enum {
    BRIDGED_CURL_NO_PROGRESS = 43,
    BRIDGED_CURL_POST = 47,
    BRIDGED_CURL_POST_FIELD_SIZE = 60,
    BRIDGED_CURL_HTTP_GET = 80,
    BRIDGED_CURL_HTTP_VERSION = 84,
    BRIDGED_CURL_NO_SIGNAL = 99,
    BRIDGED_CURL_TIMEOUT_MS = 155,
    BRIDGED_CURL_PROTOCOLS = 181,
    BRIDGED_CURL_WRITE_DATA = 10001,
    BRIDGED_CURL_URL = 10002,
    BRIDGED_CURL_USER_AGENT = 10018,
    BRIDGED_CURL_HTTP_HEADER = 10023,
    BRIDGED_CURL_HEADER_DATA = 10029,
    BRIDGED_CURL_COOKIE_FILE = 10031,
    BRIDGED_CURL_PROGRESS_DATA = 10057,
    BRIDGED_CURL_AUTHORITIES = 10065,  // CURLOPT_CAINFO
    BRIDGED_CURL_COPY_POST_FIELDS = 10165,
    BRIDGED_CURL_WRITE_FUNCTION = 20011,
    BRIDGED_CURL_HEADER_FUNCTION = 20079,
    BRIDGED_CURL_PROGRESS_FUNCTION = 20219,
};
enum { BRIDGED_CURL_HTTP_1_1 = 2, BRIDGED_CURL_ONLY_HTTP_AND_HTTPS = 3, BRIDGED_CURL_INIT_ALL = 3 };
enum { BRIDGED_CURL_OK = 0, BRIDGED_CURL_OUT_OF_MEMORY = 27, BRIDGED_CURL_TIMED_OUT = 28, BRIDGED_CURL_TOO_LARGE = 100 };

struct bridged_curl_list {
    char *data;
    struct bridged_curl_list *next;
};

typedef size_t (*bridged_curl_receive)(char *bytes, size_t size, size_t count, void *context);
typedef int (*bridged_curl_progress)(void *context, long long, long long, long long, long long);

struct bridged_curl {
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_perform)(void *);
    const char *(*easy_strerror)(int);
    struct bridged_curl_list *(*slist_append)(struct bridged_curl_list *, const char *);
    void (*slist_free_all)(struct bridged_curl_list *);
    // Variadic functions, which Swift cannot call: see below.
    void *setopt, *getinfo;
};

// Loads libcurl. Returns 0 if it is missing.
static inline int bridged_curl_load(struct bridged_curl *curl) {
#ifdef __APPLE__
    void *library = dlopen("/usr/lib/libcurl.4.dylib", RTLD_NOW);
#else
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
#endif
    int (*global_init)(long) = NULL;
    if (library == NULL) return 0;
    *(void **)&global_init = dlsym(library, "curl_global_init");
    *(void **)&curl->easy_init = dlsym(library, "curl_easy_init");
    *(void **)&curl->easy_cleanup = dlsym(library, "curl_easy_cleanup");
    *(void **)&curl->easy_perform = dlsym(library, "curl_easy_perform");
    *(void **)&curl->easy_strerror = dlsym(library, "curl_easy_strerror");
    *(void **)&curl->slist_append = dlsym(library, "curl_slist_append");
    *(void **)&curl->slist_free_all = dlsym(library, "curl_slist_free_all");
    curl->setopt = dlsym(library, "curl_easy_setopt");
    curl->getinfo = dlsym(library, "curl_easy_getinfo");
    return global_init != NULL && curl->easy_init != NULL && curl->easy_cleanup != NULL && curl->easy_perform != NULL
        && curl->easy_strerror != NULL && curl->slist_append != NULL && curl->slist_free_all != NULL
        && curl->setopt != NULL && curl->getinfo != NULL && global_init(BRIDGED_CURL_INIT_ALL) == 0;
}

static inline void bridged_curl_set_number(const struct bridged_curl *curl, void *handle, long option, long value) {
    ((int (*)(void *, int, ...))curl->setopt)(handle, (int)option, value);
}

static inline void bridged_curl_set_pointer(
    const struct bridged_curl *curl, void *handle, long option, const void *value) {
    ((int (*)(void *, int, ...))curl->setopt)(handle, (int)option, value);
}

static inline void bridged_curl_set_receive(
    const struct bridged_curl *curl, void *handle, long option, bridged_curl_receive function) {
    ((int (*)(void *, int, ...))curl->setopt)(handle, (int)option, function);
}

static inline void bridged_curl_set_progress(
    const struct bridged_curl *curl, void *handle, bridged_curl_progress function) {
    ((int (*)(void *, int, ...))curl->setopt)(handle, BRIDGED_CURL_PROGRESS_FUNCTION, function);
}

// CURLINFO_RESPONSE_CODE
static inline long bridged_curl_status(const struct bridged_curl *curl, void *handle) {
    long status = 0;
    ((int (*)(void *, int, ...))curl->getinfo)(handle, 0x200000 + 2, &status);
    return status;
}

// CURLINFO_COOKIELIST. The caller frees the list.
static inline struct bridged_curl_list *bridged_curl_cookies(const struct bridged_curl *curl, void *handle) {
    struct bridged_curl_list *list = NULL;
    ((int (*)(void *, int, ...))curl->getinfo)(handle, 0x400000 + 28, &list);
    return list;
}

#endif
