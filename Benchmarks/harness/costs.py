"""What the daemon takes when nothing happens: time to start, memory of idle pages, the script's bytes."""

import json
import statistics
import subprocess
import time
import urllib.request

from .processes import BUILT, bare_echo, folder, load, running

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
    """Resident KiB by the number of idle connections."""
    found = {0: program.resident_kib()}
    for count in IDLE:
        with running(BUILT / "Load", peer, "--port", port, "--connections", count, "--idle", stdin=subprocess.PIPE) as idle:
            idle.first_line()
            found[count] = program.resident_kib()
    return found


def measure():
    with folder() as path, daemon(path) as program, bare_echo(path) as bare:
        port = json.loads(program.first_line())["url"].rsplit(":", 1)[1].strip("/")
        program.ignore_output()
        script = urllib.request.urlopen(f"http://localhost:{port}/bridge.js").read()
        return {
            "startUp": start_up(),
            "script": {"bytes": len(script)},
            "memory": {"daemon": idle_memory(program, port, "bridge"), "bare echo": idle_memory(bare, bare.first_line(), "echo")},
        }
