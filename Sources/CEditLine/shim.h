// libedit, and what differs between its versions (docs/notes/systems.md).
#ifndef BRIDGED_CEDITLINE_SHIM_H
#define BRIDGED_CEDITLINE_SHIM_H

#include <editline/readline.h>

// Since 2013, the types of some functions and variables have changed, as has nothing that is called or kept there.

// Sets the function that readline() calls before it shows the prompt.
static inline void bridged_edit_before_prompt(int (*hook)(void)) { *(void **)&rl_pre_input_hook = (void *)hook; }

// Sets the characters between which words are completed. libedit keeps the pointer.
static inline void bridged_edit_break_words_at(const char *characters) {
    *(const char **)&rl_basic_word_break_characters = characters;
}

// Binds a key to a new command.
static inline void bridged_edit_bind(const char *name, int (*command)(int, int), int key) {
    rl_add_defun(name, (void *)command, key);
}

#endif
