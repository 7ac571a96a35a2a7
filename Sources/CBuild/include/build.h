/* The commit that was built, from the environment of the build: see `BRIDGED_COMMIT` in Package.swift. Swift has no
   constants from the command line. */
#ifndef BRIDGED_BUILD_H
#define BRIDGED_BUILD_H

const char *bridged_commit(void);

#endif
