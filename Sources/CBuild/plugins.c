#ifdef __linux__
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* libwebsockets looks for its plugin for libuv in one folder, which is compiled into it: a distribution's. It calls this
   function of its own for that, and finds ours, because a program's functions come before those of its libraries. A program
   that was unpacked anywhere has the plugin in ../lib/bridged (scripts/package), and then looks only there. */
__attribute__((visibility("default"), used)) int lws_plugins_init(
    void *plugins, const char *const *folders, const char *class, const char *filter, void *each, void *user) {
    int (*own)(void *, const char *const *, const char *, const char *, void *, void *) = NULL;
    *(void **)&own = dlsym(RTLD_NEXT, "lws_plugins_init");
    if (own == NULL) return 1;
    char path[PATH_MAX], folder[PATH_MAX + 32], plugin[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    char *name = strrchr(path, '/');
    if (name != NULL) {
        *name = 0;
        snprintf(folder, sizeof folder, "%s/../lib/bridged", path);
        snprintf(plugin, sizeof plugin, "%s/libwebsockets-evlib_uv.so", folder);
        const char *const beside[] = {folder, NULL};
        if (access(plugin, R_OK) == 0) return own(plugins, beside, class, filter, each, user);
    }
    return own(plugins, folders, class, filter, each, user);
}
#endif
