// What libFuzzer offers to programs that have a main of their own (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a
// library"). Its archive comes with the toolchain; no header does.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
