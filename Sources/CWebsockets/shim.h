// Placeholder until the transport is written.
#ifndef BRIDGED_CWEBSOCKETS_SHIM_H
#define BRIDGED_CWEBSOCKETS_SHIM_H
#include <libwebsockets.h>
#endif
