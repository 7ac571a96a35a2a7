// Not hiredis/async.h: it ends the process with an assertion if an answer comes that nobody asked for.
#include <hiredis/hiredis.h>
