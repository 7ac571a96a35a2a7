"""Round trips without a browser: a message, its typed handler, an evaluation, its result."""

import contextlib
import json
import os
import statistics
import sys

from .processes import bare_echo, echo_app, folder, load, running

ROUNDS = 3


def compared(peers, **options):
    """Returns the median of some rounds for each peer. The peers take turns, so that a disturbance affects them all."""
    rounds = {name: [] for name in peers}
    for _ in range(ROUNDS):
        for name, (kind, port) in peers.items():
            rounds[name].append(json.loads(load(kind, port, **options)))
    return {
        name: {key: statistics.median(run[key] for run in runs) for key in ("median", "p99", "perSecond")}
        for name, runs in rounds.items()
    }


@contextlib.contextmanager
def busy_cores():
    """Keeps every core busy with another process."""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(running(sys.executable, "-c", "while True: pass"))
        yield


def measure():
    with folder() as path, bare_echo(path) as bare, echo_app(path) as plain, echo_app(
        path, "--log", path / "log.ndjson") as logged, echo_app(path, "--database", path / "log.db") as stored, echo_app(
        path, "--log", path / "own.ndjson", "--own-thread") as threaded:
        ports = {name: int(program.first_line()) for name, program in
                 {"bare echo": bare, "no log": plain, "NDJSON": logged, "SQLite": stored, "own thread": threaded}.items()}
        peers = {name: ("echo" if name == "bare echo" else "bridge", port) for name, port in ports.items()}
        pair = {name: peers[name] for name in ("bare echo", "NDJSON")}
        logs = {name: peers[name] for name in ("bare echo", "no log", "NDJSON", "SQLite", "own thread")}
        results = {
            "one at a time, 100 B": compared(logs, messages=5_000),
            "64 in flight, 100 B": compared(logs, in_flight=64, messages=50_000),
            "one at a time, 10 KB": compared(pair, messages=2_000, bytes=10_000),
            "64 in flight, 10 KB": compared(pair, in_flight=64, messages=10_000, bytes=10_000),
            "one at a time, 1 MB": compared(pair, messages=60, bytes=1_000_000),
        }
        with busy_cores():
            loops = {name: peers[name] for name in ("bare echo", "NDJSON", "own thread")}
            results["one at a time, 100 B, busy cores"] = compared(loops, messages=2_000)
        for connections in (1, 10, 100, 1_000):
            # The same load each time: 30,000 messages, 1,000 of them in flight.
            results[f"{connections} connections, 1,000 in flight"] = compared(
                pair, connections=connections, in_flight=1_000 // connections, messages=30_000)
        before = logged.cpu_seconds()
        load("bridge", ports["NDJSON"], in_flight=64, messages=90_000)  # after a warm-up of 10,000
        results["cpu"] = {"secondsPer100000": logged.cpu_seconds() - before}
        return results
