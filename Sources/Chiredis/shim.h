// Not hiredis/async.h: it ends the process with an assertion if an answer comes without a command.
#include <hiredis/hiredis.h>
