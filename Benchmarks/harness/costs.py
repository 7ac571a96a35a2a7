"""What the daemon takes when nothing happens: time to start, memory of idle pages, the script's bytes."""

import json
import subprocess
import time
import urllib.request

from .processes import BUILT, bare_echo, folder, running
from .turns import figure

IDLE = (1_000, 9_900)  # the daemon's limit is 10,000


def daemon(path):
    return running(
        BUILT / "bridged", "serve", "--port", "0", "--json", XDG_RUNTIME_DIR=str(path))


def start_up(count=20):
    """Milliseconds from the start of the process to the line that says where it listens."""
    times = []
    with folder() as path:
        for _ in range(count):
            start = time.perf_counter()
            with daemon(path) as program:
                program.first_line()
                times.append((time.perf_counter() - start) * 1_000)
    return times


def idle_memory(program, port, peer):
    """Resident KiB without connections, and how much each of some idle ones adds."""
    empty = program.resident_kib()
    found = {}
    for count in IDLE:
        with running(BUILT / "Load", peer, "--port", port, "--connections", count, "--idle", stdin=subprocess.PIPE) as idle:
            idle.first_line()
            found[count] = (program.resident_kib() - empty) / count
    return empty, found


def measure():
    rows = [figure("start until listening", "ms", start_up())]
    with folder() as path, daemon(path) as program, bare_echo(path) as bare:
        port = json.loads(program.first_line())["url"].rsplit(":", 1)[1].strip("/")
        program.ignore_output()
        script = urllib.request.urlopen(f"http://localhost:{port}/bridge.js").read()
        rows.append(figure("bridge.js", "bytes", [len(script)]))
        empty, pages = idle_memory(program, port, "bridge")
        _, connections = idle_memory(bare, bare.first_line(), "echo")
    rows.append(figure("memory without connections", "KiB", [empty]))
    for count in IDLE:
        rows.append(figure(f"memory of a page beside {count:,} idle ones", "KiB", [pages[count]]))
        rows.append(figure(f"memory of a page beyond libwebsockets' share, {count:,} idle", "KiB", [pages[count] - connections[count]]))
    return rows
