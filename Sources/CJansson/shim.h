// What Swift can't import from jansson, and what differs between its versions (docs/notes/systems.md). Names that are
// defined here begin with `bridged_`, except functions that older versions lack.
#ifndef BRIDGED_CJANSSON_SHIM_H
#define BRIDGED_CJANSSON_SHIM_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// json_typeof is a macro.
static inline json_type bridged_json_typeof(const json_t *json) { return json_typeof(json); }

// json_error_code is an inline function over a byte hidden at the end of the text; the wrapper keeps its type.
static inline int bridged_json_error_code(const json_error_t *error) { return (int)json_error_code(error); }

// The texts are char arrays, which Swift imports as tuples.
static inline const char *bridged_json_error_text(const json_error_t *error) { return error->text; }

#if JANSSON_VERSION_HEX >= 0x020e00
static inline int bridged_json_allows_nul_in_keys(void) { return 1; }
#else
static inline int bridged_json_allows_nul_in_keys(void) { return 0; }

// Before 2.14, a key ends with NUL and has no length. So it is copied, and one with a NUL in it cannot be used.
static inline char *bridged_json_copy_key(const char *key, size_t length) {
    char *copy = length > 0 && memchr(key, 0, length) != NULL ? NULL : (char *)malloc(length + 1);
    if (copy == NULL) return NULL;
    if (length > 0) memcpy(copy, key, length);
    copy[length] = 0;
    return copy;
}

static inline json_t *json_object_getn(const json_t *object, const char *key, size_t length) {
    char *copy = bridged_json_copy_key(key, length);
    json_t *value = copy == NULL ? NULL : json_object_get(object, copy);
    free(copy);
    return value;
}

static inline int bridged_json_object_setn(
    int (*set)(json_t *, const char *, json_t *), json_t *object, const char *key, size_t length, json_t *value) {
    char *copy = bridged_json_copy_key(key, length);
    if (copy == NULL) json_decref(value);
    int status = copy == NULL ? -1 : set(object, copy, value);
    free(copy);
    return status;
}

static inline int json_object_setn_new(json_t *object, const char *key, size_t length, json_t *value) {
    return bridged_json_object_setn(json_object_set_new, object, key, length, value);
}

static inline int json_object_setn_new_nocheck(json_t *object, const char *key, size_t length, json_t *value) {
    return bridged_json_object_setn(json_object_set_new_nocheck, object, key, length, value);
}

static inline size_t json_object_iter_key_len(void *iterator) { return strlen(json_object_iter_key(iterator)); }
#endif

#endif
