"""Compares the bridge with its peers: `make bench`, or `bench.py raw micro --json FILE`.

A ratio is the bridge's figure divided by the peer's in the same run. For times, less than 1 means that the bridge is
faster; for messages per second, more than 1 does. In the group "raw", each figure is divided by the bare echo's.
"""

import argparse
import json
import os
import platform
import resource
import sys
import time

from harness import browsers, cluster, costs, goals, instructions, micro, raw, report, scale

GROUPS = {"raw": (raw.measure, report.raw), "browsers": (browsers.measure, report.pages),
          "scale": (scale.measure, report.scale), "costs": (costs.measure, report.costs), "micro": (micro.measure, report.micro),
          "cluster": (cluster.measure, report.cluster), "instructions": (instructions.measure, report.instructions)}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("groups", nargs="*", metavar="group", help=f"one of {', '.join(GROUPS)} (default: all)")
parser.add_argument("--json", help="also write the figures to this file")
options = parser.parse_args()
unknown = set(options.groups) - set(GROUPS)
if unknown:
    parser.error(f"unknown group: {', '.join(sorted(unknown))}. Choose from {', '.join(GROUPS)}.")

# Ten thousand connections need as many file descriptors, in this process and its children. The limit is not raised
# further because libwebsockets allocates tables of that length.
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))

rows = []
for name in options.groups or GROUPS:
    print(f"{name} …", file=sys.stderr, flush=True)
    measure, read = GROUPS[name]
    rows += read(measure())
machine = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "system": platform.platform(), "date": time.strftime("%F")}
print(json.dumps(machine))
report.table(rows)
print()
goals.table(rows)
if options.json:
    with open(options.json, "w") as file:
        json.dump({"machine": machine, "figures": rows}, file, indent=1)
