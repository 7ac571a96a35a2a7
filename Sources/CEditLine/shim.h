// libedit, and what differs between its versions (docs/notes/systems.md).
#ifndef BRIDGED_CEDITLINE_SHIM_H
#define BRIDGED_CEDITLINE_SHIM_H

#include <editline/readline.h>

// Sets the function that readline() calls before it shows the prompt. In older versions, such as that of Ubuntu 22.04,
// the type of the variable has parameters, which libedit never passes.
static inline void bridged_edit_before_prompt(int (*hook)(void)) { *(void **)&rl_pre_input_hook = (void *)hook; }

#endif
