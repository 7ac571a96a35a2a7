#define _GNU_SOURCE
#include "CSpawn.h"
#include <pthread.h>

#ifdef __APPLE__

// The flag POSIX_SPAWN_CLOEXEC_DEFAULT closes them.
int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return 0;
}

short CSpawn_flags(void) {
    return POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT;
}

#else

int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short CSpawn_flags(void) {
    return POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
}

#endif

static void *wait_at(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int CSpawn_count_threads(int wanted) {
    pthread_t threads[wanted];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int count = 0;
    pthread_mutex_lock(&gate);
    while (count < wanted && pthread_create(&threads[count], NULL, wait_at, &gate) == 0) { count++; }
    pthread_mutex_unlock(&gate);
    for (int index = 0; index < count; index++) { pthread_join(threads[index], NULL); }
    return count;
}

int CSpawn_change_folder(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}
