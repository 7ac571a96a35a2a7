"""Programs that the benchmarks start and stop."""

import collections
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / ".build/release"
TICKS = os.sysconf("SC_CLK_TCK")

#: What could not be measured, and why.
left_out = []


def leave_out(what, why):
    """Notes what could not be measured, and reports it at once. Returns no rows."""
    left_out.append(f"{what}: {why}")
    print(f"  left out: {left_out[-1]}", file=sys.stderr, flush=True)
    return []


class Program:
    """A process in its own process group."""

    def __init__(self, *command, stdin=None, **environment):
        self.errors = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=stdin, stdout=subprocess.PIPE, stderr=self.errors,
            start_new_session=True, text=True, env={**os.environ, **environment})

    def first_line(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[0]} ended without printing anything: {self.last_error()}")
        return line.strip()

    def last_error(self):
        """The last line that the program wrote to its standard error."""
        self.errors.seek(0)
        return (self.errors.read().strip() or "no error").splitlines()[-1]

    def ignore_output(self):
        """Reads and discards the rest of the output, because a full pipe would block the program."""
        threading.Thread(target=lambda: collections.deque(self.process.stdout, maxlen=0), daemon=True).start()

    def resident_kib(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def running(*command, **options):
    program = Program(*command, **options)
    try:
        yield program
    finally:
        program.kill()


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="bridged-bench-")
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def echo_app(path, *options):
    """Runs Benchmarks/EchoApp. Its discovery file is written to `path`."""
    return running(BUILT / "EchoApp", *options, XDG_RUNTIME_DIR=str(path))


def bare_echo(path, loop="poll"):
    """Builds and runs Benchmarks/BareEcho: libwebsockets alone, on its own loop (poll) or on libuv's (uv)."""
    program = path / f"echo-{loop}"
    source = ROOT / "Benchmarks/BareEcho/echo.c"
    subprocess.run(["cc", "-O2", "-o", program, source, "-lwebsockets"], check=True)
    return running(program, loop)


def load(peer, port, **options):
    """Runs Benchmarks/Load and returns its output."""
    arguments = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    done = subprocess.run(
        [BUILT / "Load", peer, "--port", str(port), *arguments], check=True, capture_output=True, text=True)
    return done.stdout
