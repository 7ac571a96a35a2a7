"""What a message costs a daemon alone, as a node of a cluster, and as a node that keeps the state of its pages in Redis."""

import contextlib
import json
import shutil
import socket
import time

from .processes import echo_app, folder, leave_out, load, running
from .turns import comparison, take_turns

ROUNDS = 3  # A durable node takes seconds.
MESSAGES = 20_000


@contextlib.contextmanager
def redis(path, name, fsync):
    """Runs a Redis that only a Unix socket reaches. Yields its address."""
    data = path / name
    data.mkdir()
    at = data / "socket"
    append = ("--appendonly", "yes", "--appendfsync", fsync) if fsync else ("--appendonly", "no")
    with running("redis-server", "--port", "0", "--unixsocket", at, "--dir", data, "--save", "", *append) as server:
        server.ignore_output()
        wait_for(at)
        yield f"unix://{at}?name={name}"


def wait_for(path, seconds=10):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket(socket.AF_UNIX) as client:
            if client.connect_ex(str(path)) == 0:
                return
        time.sleep(0.01)
    raise SystemExit(f"redis-server did not listen on {path} within {seconds} s.")


def measure():
    if not shutil.which("redis-server"):
        return leave_out("cluster", "redis-server is not installed")
    with folder() as path, contextlib.ExitStack() as stack:
        def app(name, *options):
            return stack.enter_context(echo_app(path, "--log", path / f"{name}.ndjson", *options))

        def address(name, fsync=None):
            return stack.enter_context(redis(path, name, fsync))

        apps = {
            "alone": app("alone"),
            "in a cluster": app("cluster", "--cluster", address("cluster")),
            "durable, everysec": app("everysec", "--durable", "--cluster", address("everysec", "everysec")),
            "durable, always": app("always", "--durable", "--cluster", address("always", "always")),
        }
        ports = {name: int(program.first_line()) for name, program in apps.items()}
        found = take_turns(
            {name: lambda name=name: figures(apps[name], ports[name]) for name in apps}, ROUNDS)
    rows = []
    for name in list(apps)[1:]:
        for case, unit in {"CPU of a message, 128 in flight": "µs", "128 in flight": "a second", "one at a time": "µs"}.items():
            rows.append(comparison(f"{name} / alone: {case}", unit, case, found[name], found["alone"]))
    return rows


def figures(program, port):
    before = program.cpu_seconds()
    many = json.loads(load("bridge", port, in_flight=128, messages=MESSAGES))
    seconds = program.cpu_seconds() - before
    one = json.loads(load("bridge", port, messages=2_000))
    # The load posts a tenth more as a warm-up.
    cpu = seconds * 1e6 / (MESSAGES * 1.1)
    return {"CPU of a message, 128 in flight": cpu, "128 in flight": many["perSecond"], "one at a time": one["median"]}
