#include "build.h"

#ifndef BRIDGED_COMMIT
#define BRIDGED_COMMIT ""
#endif

const char *bridged_commit(void) { return BRIDGED_COMMIT; }
