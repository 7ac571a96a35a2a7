#define _GNU_SOURCE
#include "CSpawn.h"

#ifdef __APPLE__

// The flag POSIX_SPAWN_CLOEXEC_DEFAULT closes them.
int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return 0;
}

short CSpawn_flags(void) {
    return POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT;
}

#else

int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short CSpawn_flags(void) {
    return POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
}

#endif

int CSpawn_change_folder(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}
