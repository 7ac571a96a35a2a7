"""One page's round trip while other pages sit idle, and the time in which those attach."""

import contextlib
import json
import os
import statistics
import sys

from . import curve
from .processes import ROOT, bare_echo, echo_app, folder, load, running
from .raw import compared

COUNTS = (0, 100, 1_000, 10_000)
# With libwebsockets' own loop, ten thousand connections take minutes to open.
ROUNDS = {"bridged": 3, "bare echo, libuv": 3, "bare echo, poll": 1}


@contextlib.contextmanager
def awake_cores():
    """Keeps every core awake with a process that gives way to all others."""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(running("nice", "-n", "19", sys.executable, "-c", "while True: pass"))
        yield


def measure():
    """Returns the points of each peer, and the rates with 1,000 busy connections."""
    with folder() as path, bare_echo(path) as poll, bare_echo(path, "uv") as uv, echo_app(
        path, "--log", path / "log.ndjson") as app:
        peers = {"bridged": ("bridge", app), "bare echo, libuv": ("echo", uv), "bare echo, poll": ("echo", poll)}
        peers = {name: (kind, int(program.first_line())) for name, (kind, program) in peers.items()}
        runs = {name: [] for name in peers}
        with awake_cores():
            for turn in range(max(ROUNDS.values())):
                for name, (kind, port) in peers.items():
                    if turn < ROUNDS[name]:
                        runs[name].append(json.loads(load(
                            kind, port, idle_pages=",".join(map(str, COUNTS)), messages=2_000)))
    results = {
        "idle": {name: [middle(points) for points in zip(*found)] for name, found in runs.items()},
        "busy": busy(),
    }
    if os.environ.get("BRIDGED_WRITE_DOCS"):
        (ROOT / "docs/notes/scale.svg").write_text(curve.svg(results["idle"]))
    return results


def busy():
    """The rates with 1,000 connections, of new processes: the pages of the others are still being forgotten."""
    with folder() as path, bare_echo(path, "uv") as uv, echo_app(path, "--log", path / "log.ndjson") as app:
        peers = {"bridged": ("bridge", int(app.first_line())), "bare echo, libuv": ("echo", int(uv.first_line()))}
        return compared(peers, connections=1_000, messages=30_000)


def middle(points):
    """The medians of the same point of several runs."""
    return {key: statistics.median(point[key] for point in points) for key in points[0]}
