"""The goals for the figures of one run: ratios and counts, and two times that a person waits for."""


def at_most(limit):
    return f"≤ {limit:,g}", lambda value: value <= limit


def at_least(limit):
    return f"≥ {limit:,g}", lambda value: value >= limit


#: The bare echo's rate below which system calls are so dear that a ratio to it says little of the bridge.
ECHO_RATE = 200_000


def is_echo_fast(row):
    """Why the row is not judged, if the machine is too slow for it."""
    return None if row["peer"] >= ECHO_RATE else f"the echo does {row['peer']:,.0f} a second; judged from {ECHO_RATE:,} on"


#: By group: the row that the goal is for, its limit, and optionally what may forbid to judge it.
GOALS = {
    "instructions": [
        ("a message, 64 in flight", at_most(28_000)),
        ("a message, one at a time", at_most(36_000)),
        ("a message of 10 KB, 64 in flight", at_most(60_000)),
    ],
    "raw": [
        ("64 in flight: NDJSON / bare echo", at_least(0.6), is_echo_fast),
        ("one at a time: NDJSON / bare echo", at_most(1.25)),
        ("64 in flight: NDJSON / no log", at_least(0.9)),
    ],
    "scale": [
        ("1,000 busy connections: bridged / echo on libuv", at_least(0.7)),
        ("bridged: round trip beside 10,000 idle pages / none", at_most(1.2)),
        ("bridged: attaching the 10,000th page / the first 100", at_most(1.3)),
    ],
    "browsers": [
        ("Chromium tag / bare socket, one at a time", at_most(1.4)),
        ("Chromium tag / DevTools, one at a time", at_most(0.8)),
        ("Chromium tag / real WebKit, one at a time", at_most(1)),
        ("Firefox tag / bare socket, one at a time", at_most(1.4)),
        ("driven Chromium / DevTools, one at a time", at_most(1.3)),
        ("driven Firefox / plain BiDi, one at a time", at_most(1.3)),
        ("driven WebKit / real WebKit, one at a time", at_most(1.2)),
        ("Firefox tag: bridge.js runs in a new document in", at_most(2)),
    ],
    "costs": [
        ("start until listening", at_most(25)),
        ("memory of a page beyond libwebsockets' share, 9,900 idle", at_most(6)),
    ],
    "suites": [
        ("50 flows: chromium, 2 jobs / Playwright", at_most(0.5)),
        ("50 flows: webkit, 2 jobs / Playwright", at_most(0.5)),
        ("50 flows: firefox / Playwright", at_most(1)),
    ],
}


def verdict(rows, what, limit, reason_not_to_judge=None):
    """Whether the figure of the row `what` meets the limit, the figure, and why it is not judged, if so."""
    row = next((row for row in rows if row["what"] == what), None)
    if row is None:
        return "not judged", "not measured", limit[0]
    value = row.get("ratio", row["figure"])
    reason = reason_not_to_judge and reason_not_to_judge(row)
    if reason:
        return "not judged", f"{value:,.2f}: {reason}", limit[0]
    shown = f"{value:,.2f}" if value < 1_000 else f"{value:,.0f}"
    return "met" if limit[1](value) else "missed", f"{shown} {'' if 'ratio' in row else row['unit']}".strip(), limit[0]


def table(groups, rows):
    """Prints each goal of the groups that ran."""
    for group in groups:
        for goal in GOALS.get(group, []):
            judged, value, asked = verdict(rows, *goal)
            print(f"{judged:10}  {goal[0]:58} {asked:>8}  {value}")
