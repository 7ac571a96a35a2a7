"""Round trips without a browser: a message, its typed handler, an evaluation, its result."""

import json

from .processes import bare_echo, echo_app, folder, load
from .turns import comparison, take_turns


def loaded(kind, port, **options):
    """A side of a comparison: one run of Benchmarks/Load."""
    return lambda: json.loads(load(kind, port, **options))


def measure():
    with folder() as path, bare_echo(path) as bare, echo_app(path) as plain, echo_app(
        path, "--log", path / "log.ndjson") as logged, echo_app(path, "--database", path / "log.db") as stored:
        programs = {"bare echo": bare, "no log": plain, "NDJSON": logged, "SQLite": stored}
        ports = {name: program.first_line() for name, program in programs.items()}

        def compared(case, ours, theirs, **options):
            sides = {name: loaded("echo" if name == "bare echo" else "bridge", ports[name], **options) for name in (ours, theirs)}
            found = take_turns(sides)
            what = f"{case}: {ours} / {theirs}"
            if options.get("in_flight"):
                return comparison(what, "a second", "perSecond", found[ours], found[theirs])
            return comparison(what, "µs", "median", found[ours], found[theirs])

        return [
            compared("one at a time", "NDJSON", "bare echo", messages=4_000),
            compared("64 in flight", "NDJSON", "bare echo", in_flight=64, messages=50_000),
            compared("64 in flight", "NDJSON", "no log", in_flight=64, messages=50_000),
            compared("64 in flight", "SQLite", "no log", in_flight=64, messages=20_000),
            compared("64 in flight, 10 KB", "NDJSON", "bare echo", in_flight=64, messages=8_000, bytes=10_000),
            compared("one at a time, 1 MB", "NDJSON", "bare echo", messages=30, bytes=1_000_000),
        ]
