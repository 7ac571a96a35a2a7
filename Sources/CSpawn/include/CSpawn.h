#pragma once
// What Swift's module for the C library leaves out of spawn.h: the functions with _np in their names.
#include <spawn.h>

// Closes all descriptors from a number on in the child. Returns 0 or an error number.
// Source: posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34.
int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first);

// Lets the child begin in a folder. Returns 0 or an error number.
int CSpawn_change_folder(posix_spawn_file_actions_t *actions, const char *path);

// The flags that lead to a child which inherits nothing but what the actions give to it: a session of its own,
// and so a group, no blocked and no ignored signals.
short CSpawn_flags(void);

// Starts threads that exist at the same time, as long as the system lets it and up to a number. Returns how many.
// Foundation and libdispatch do not tell: a thread of theirs that cannot start is missing, or tried again for ever.
int CSpawn_count_threads(int wanted);
