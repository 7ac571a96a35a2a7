"""Many connections: all busy beside libuv's echo, or idle beside the one that is measured."""

import contextlib
import json
import os
import sys

from .processes import bare_echo, echo_app, folder, load, running
from .raw import loaded
from .turns import comparison, take_turns

COUNTS = (0, 100, 1_000, 10_000)
IDLE_ROUNDS = 3  # Ten thousand pages take seconds to open.


@contextlib.contextmanager
def awake_cores():
    """Keeps every core awake with a process that gives way to all others."""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(running("nice", "-n", "19", sys.executable, "-c", "while True: pass"))
        yield


@contextlib.contextmanager
def both():
    """New processes each time: those that had many connections are still forgetting them."""
    with folder() as path, bare_echo(path, "uv") as uv, echo_app(path, "--log", path / "log.ndjson") as app:
        yield {"bridged": ("bridge", app.first_line()), "echo on libuv": ("echo", uv.first_line())}


def busy():
    with both() as peers:
        found = take_turns({
            name: loaded(*peer, connections=1_000, messages=30_000) for name, peer in peers.items()})
    return [comparison(
        "1,000 busy connections: bridged / echo on libuv", "a second", "perSecond", *found.values())]


def idle():
    def side(kind, port):
        points = json.loads(load(kind, port, idle_pages=",".join(map(str, COUNTS)), messages=2_000))
        return {point["idle"]: point for point in points}

    with both() as peers, awake_cores():
        found = take_turns({
            name: lambda peer=peer: side(*peer) for name, peer in peers.items()}, IDLE_ROUNDS)
    for name, rounds in found.items():
        def points(count, rounds=rounds):
            return [points[count] for points in rounds]

        for count in COUNTS[1:]:
            yield comparison(f"{name}: round trip beside {count:,} idle pages / none", "µs", "median", points(count), points(0))
        yield comparison(
            f"{name}: attaching the 10,000th page / the first 100", "µs", "attach", points(10_000), points(100))


def measure():
    return [*busy(), *idle()]
