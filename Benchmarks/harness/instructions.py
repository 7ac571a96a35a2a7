"""The instructions that the daemon executes per message, counted by valgrind.

Other load on the machine does not change them.
"""

import re
import shutil
import subprocess
import sys
import time

from .processes import BUILT, folder, load, running

MESSAGES = 2_000


def counted(in_flight):
    with folder() as path, running(
        "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={path / 'counts'}",
        stripped(BUILT / "EchoApp", path), "--log", path / "log.ndjson", XDG_RUNTIME_DIR=str(path)) as app:
        port = app.first_line()
        load("bridge", port, in_flight=in_flight, messages=200)  # to warm up
        control(app, "--instr=on")
        load("bridge", port, in_flight=in_flight, messages=MESSAGES)
        control(app, "--instr=off")
        control(app, "--dump")
        # Load posts a tenth more, to warm up.
        return total(path / "counts.1") / (MESSAGES * 1.1)


def stripped(program, path):
    """A copy without debug information, which Debian 12's valgrind cannot always read: then it gives up."""
    copy = path / program.name
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def control(app, option):
    subprocess.run(["callgrind_control", option, str(app.process.pid)], check=True, capture_output=True)


def total(path, timeout=30):
    """Waits for a dump and returns the total at its end."""
    for _ in range(timeout * 10):
        found = path.exists() and re.search(r"^totals: (\d+)", path.read_text(), re.MULTILINE)
        if found:
            return int(found[1])
        time.sleep(0.1)
    raise SystemExit(f"valgrind did not write its counts within {timeout} s.")


def measure():
    if not shutil.which("valgrind"):
        print("  valgrind is not installed, so instructions are not counted.", file=sys.stderr)
        return {}
    return {in_flight: counted(in_flight) for in_flight in (1, 64)}
