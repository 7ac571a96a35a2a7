// What Swift can't import from jansson: `json_typeof` and the key length of an iterator are macros,
// and so is the check of a tree's reference count. Every name of ours begins with `bridged_`.
#ifndef BRIDGED_CJANSSON_SHIM_H
#define BRIDGED_CJANSSON_SHIM_H

#include <jansson.h>

// json_typeof is a macro.
static inline json_type bridged_json_typeof(const json_t *json) { return json_typeof(json); }

// json_error_code is an inline function over a byte hidden at the end of the text; the wrapper keeps its type.
static inline int bridged_json_error_code(const json_error_t *error) { return (int)json_error_code(error); }

// The texts are char arrays, which Swift imports as tuples.
static inline const char *bridged_json_error_text(const json_error_t *error) { return error->text; }

#endif
