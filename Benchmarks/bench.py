"""Compares the bridge with its peers: `make bench`, or `bench.py raw micro --json FILE`.

Both sides of a comparison take turns for seven rounds (three where a round takes seconds). A ratio is the first side's
figure divided by the second's in the same round; the table shows the median of the ratios, the lowest and the highest. For
times, less than 1 means that the first side is faster; for messages per second, more than 1 does.
"""

import argparse
import json
import resource
import sys
import time

from harness import browsers, cluster, costs, goals, instructions, machine, micro, processes, raw, report, scale, suites

GROUPS = {
    "instructions": instructions.measure, "raw": raw.measure, "browsers": browsers.measure, "scale": scale.measure,
    "costs": costs.measure, "micro": micro.measure, "cluster": cluster.measure, "suites": suites.measure,
}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("groups", nargs="*", metavar="group", help=f"one of {', '.join(GROUPS)} (default: all)")
parser.add_argument("--json", help="also write the figures to this file")
options = parser.parse_args()
unknown = set(options.groups) - set(GROUPS)
if unknown:
    parser.error(f"unknown group: {', '.join(sorted(unknown))}. Choose from {', '.join(GROUPS)}.")
groups = options.groups or list(GROUPS)

# Ten thousand connections need as many file descriptors, in this process and its children. The limit is not raised
# further because libwebsockets allocates tables of that length.
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))

quiet = machine.Quiet()
rows = []
for name in groups:
    print(f"{name} …", file=sys.stderr, flush=True)
    quiet.sample()
    start = time.monotonic()
    rows += GROUPS[name]()
    print(f"  {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
quiet.sample()

quiet.report()
print()
report.table(rows)
print()
goals.table(groups, rows)
for what in processes.left_out:
    print(f"left out: {what}")
if options.json:
    with open(options.json, "w") as file:
        json.dump({"machine": quiet.facts(), "figures": rows, "leftOut": processes.left_out}, file, indent=1)
