"""The goals for the figures of one run."""


def at_most(limit):
    return f"≤ {limit:g}", lambda value: value <= limit


def at_least(limit):
    return f"≥ {limit:g}", lambda value: value >= limit


def goals(rows):
    """For each goal that was measured: its text, its limit, the figure, and whether the figure meets it."""
    found = {(row["what"], row["unit"]): row for row in rows}

    def figure(what, unit, key="median"):
        return found.get((what, unit), {}).get(key)

    def quotient(unit, what, other, key="median"):
        above, below = figure(what, unit, key), figure(other, unit, key)
        return above / below if above and below else None

    def difference(unit, what, other):
        one, two = figure(what, unit), figure(other, unit)
        return one - two if one is not None and two is not None else None

    one, many = "1 connections, 1,000 in flight: NDJSON", "1000 connections, 1,000 in flight: NDJSON"
    wanted = [
        ("round trip, Chromium / bare WebSocket", at_most(1.25), figure("Chromium: socket, one at a time", "µs", "ratio")),
        ("round trip, Firefox / bare WebSocket", at_most(1.25), figure("Firefox: socket, one at a time", "µs", "ratio")),
        ("round trip / DevTools protocol", at_most(0.4), figure("Chromium: devtools, one at a time", "µs", "ratio")),
        ("round trip / Playwright", at_most(0.14), figure("Chromium: playwright, one at a time", "µs", "ratio")),
        ("round trip / real WebKit", at_most(1), figure("WebKitGTK: webkit, one at a time", "µs", "ratio")),
        ("burst per second / DevTools protocol", at_least(15), figure("Chromium: devtools, in one turn", "a second", "ratio")),
        ("burst per second / real WebKit", at_least(15), figure("WebKitGTK: webkit, in one turn", "a second", "ratio")),
        ("raw, one at a time / bare echo", at_most(1.25), figure("one at a time, 100 B: NDJSON", "µs", "ratio")),
        ("raw, 64 in flight / bare echo", at_least(0.7), figure("64 in flight, 100 B: NDJSON", "a second", "ratio")),
        ("log on / log off", at_least(0.9), quotient("a second", "64 in flight, 100 B: NDJSON", "64 in flight, 100 B: no log")),
        ("1,000 connections / one", at_least(0.8), quotient("a second", many, one)),
        ("1,000 connections / one, p99", at_most(5), quotient("µs", many, one, "p99")),
        ("round trip beside 10,000 idle pages / none", at_most(1.2), figure(
            "10,000 idle pages: bridged, round trip", "µs", "ratio")),
        ("attaching the 10,000th page / the first 100", at_most(1.3), figure(
            "10,000 idle pages: bridged, attaching one", "µs", "ratio")),
        ("1,000 busy connections / bare echo on libuv", at_least(0.7), figure(
            "1,000 busy connections: bridged", "a second", "ratio")),
        ("KiB of an idle page beyond libwebsockets' share", at_most(6), difference(
            "KiB", "9900 idle connections: daemon, each", "9900 idle connections: bare echo, each")),
        ("start-up, ms", at_most(30), figure("start-up to listening", "ms")),
    ]
    return [(text, asked, value, holds(value)) for text, (asked, holds), value in wanted if value is not None]


def table(rows):
    for text, asked, value, is_met in goals(rows):
        print(f"{'met' if is_met else 'missed':7} {text:48} {value:8.2f}  {asked}")
