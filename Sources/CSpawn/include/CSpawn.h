#pragma once
// What Swift's module for the C library leaves out of spawn.h: the functions with _np in their names.
#include <spawn.h>

// Closes all descriptors from a number on in the child. Returns 0 or an error number.
// Source: posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34.
int CSpawn_close_from(posix_spawn_file_actions_t *actions, int first);

// Lets the child begin in a folder. Returns 0 or an error number.
int CSpawn_change_folder(posix_spawn_file_actions_t *actions, const char *path);

// The flags that lead to a child which inherits nothing but what the actions give to it: a group of its own, no blocked
// and no ignored signals.
short CSpawn_flags(void);
