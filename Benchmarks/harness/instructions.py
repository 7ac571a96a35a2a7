"""The instructions that the daemon executes per message, counted by valgrind.

Other load on the machine does not change them.
"""

import re
import shutil
import subprocess
import sys
import time

from .processes import BUILT, folder, leave_out, load, running
from .turns import figure

MESSAGES = 2_000
# glibc copies long texts with `rep movsb`, which is one instruction for a processor. valgrind counts one for each byte,
# so here they are copied 32 bytes at a time.
COPIES = "glibc.cpu.x86_rep_movsb_threshold=100000000"
CASES = {
    "a message, one at a time": {"in_flight": 1},
    "a message, 64 in flight": {"in_flight": 64},
    "a message of 10 KB, 64 in flight": {"in_flight": 64, "bytes": 10_000},
}


def counted(**options):
    with folder() as path, running(
        "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={path / 'counts'}",
        stripped(BUILT / "EchoApp", path), "--log", path / "log.ndjson", XDG_RUNTIME_DIR=str(path),
        GLIBC_TUNABLES=COPIES) as app:
        port = app.first_line()
        load("bridge", port, messages=200, **options)  # to warm up
        control(app, "--instr=on")
        load("bridge", port, messages=MESSAGES, **options)
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
        return leave_out("instructions", "valgrind is not installed")
    return [figure(case, "instructions", [counted(**options)]) for case, options in CASES.items()]
