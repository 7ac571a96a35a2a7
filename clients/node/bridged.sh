#!/bin/sh
# Runs the executable of the npm package for this platform: that beside this package, or in a node_modules above it.
own=$(readlink -f "$0")
folder=${own%/*}
case $(uname -m) in
x86_64) platform=linux-x64 ;;
aarch64) platform=linux-arm64 ;;
esac
while [ -n "$folder" ]; do
    program=$folder/node_modules/bridged-$platform/bin/bridged
    [ ! -x "$program" ] || exec "$program" "$@"
    folder=${folder%/*}
done
echo "error: bridged has no executable here: the package bridged-${platform:-$(uname -m)} is not installed. npm installs it," \
    "as an optional dependency, on Linux with glibc." >&2
exit 1
