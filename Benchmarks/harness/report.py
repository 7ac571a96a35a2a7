"""Figures beside their peers, as rows of a table."""

import statistics


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def pages(browsers):
    """Round trips from a page: each peer's time, and how long the bridge takes beside it."""
    for browser, peers in browsers.items():
        trips = {name: peer for name, peer in peers.items() if name != "install"}
        bridge = trips.get("bridge") or browsers["Chromium"].get("bridge")
        for name, peer in trips.items():
            each = statistics.median(peer["means"])
            yield row(f"{browser}: {name}, one at a time", "µs", each, percentile(peer["times"], 0.99),
                      bridge and statistics.median(bridge["means"]) / each)
            burst = statistics.median(run["perSecond"] for run in peer["bursts"])
            yield row(f"{browser}: {name}, in one turn", "a second", burst, None,
                      bridge and statistics.median(run["perSecond"] for run in bridge["bursts"]) / burst)
            call = statistics.median(run["microsecondsACall"] for run in peer["bursts"])
            yield row(f"{browser}: {name}, the call itself", "µs", call)
        if "install" in peers:
            yield row(f"{browser}: bridge.js runs in a new document in", "µs", statistics.median(peers["install"]),
                      percentile(peers["install"], 0.99))


def raw(results):
    """Round trips without a browser, beside the bare echo."""
    for case, peers in results.items():
        if case == "cpu":
            yield row("CPU for 100,000 messages, NDJSON, 64 in flight", "s", peers["secondsPer100000"])
            continue
        bare = peers["bare echo"]
        for name, peer in peers.items():
            yield row(f"{case}: {name}", "µs", peer["median"], peer["p99"], peer["median"] / bare["median"])
            yield row(f"{case}: {name}", "a second", peer["perSecond"], None, peer["perSecond"] / bare["perSecond"])


def scale(results):
    """One page beside idle ones, and the rates with 1,000 busy connections."""
    for name, points in results["idle"].items():
        for point in points:
            yield row(f"{point['idle']:,} idle pages: {name}, round trip", "µs", point["median"], point["p99"],
                      point["median"] / points[0]["median"])
            if point["idle"]:
                yield row(f"{point['idle']:,} idle pages: {name}, attaching one", "µs", point["attach"], None,
                          point["attach"] / points[1]["attach"])
    bare = results["busy"]["bare echo, libuv"]
    for name, peer in results["busy"].items():
        yield row(f"1,000 busy connections: {name}", "a second", peer["perSecond"], None,
                  peer["perSecond"] / bare["perSecond"])


def cluster(results):
    """What a message costs beside what it costs a daemon alone."""
    alone = results.get("alone")
    for name, figures in results.items():
        yield row(f"{name}: CPU for a message, 128 in flight", "µs", figures["cpu"], None, figures["cpu"] / alone["cpu"])
        yield row(f"{name}: 128 in flight", "a second", figures["perSecond"], None,
                  figures["perSecond"] / alone["perSecond"])
        yield row(f"{name}: one at a time", "µs", figures["median"], figures["p99"], figures["median"] / alone["median"])


def instructions(results):
    for in_flight, count in results.items():
        yield row(f"a message, {in_flight} in flight, NDJSON", "instructions", count)


def micro(results):
    for name, figures in results.items():
        yield row(f"{name}", "ns", figures["median"], figures["p99"])
        yield row(f"{name}", "allocations", figures["allocations"])


def costs(results):
    yield row("start-up to listening", "ms", statistics.median(results["startUp"]), percentile(results["startUp"], 0.99))
    yield row("bridge.js", "bytes", results["script"]["bytes"])
    for name, sizes in results["memory"].items():
        empty = sizes[0]
        yield row(f"resident memory without connections: {name}", "KiB", empty)
        for count, size in sizes.items():
            if count:
                yield row(f"{count} idle connections: {name}, each", "KiB", (size - empty) / count)


def row(what, unit, median, p99=None, ratio=None):
    return {"what": what, "unit": unit, "median": median, "p99": p99, "ratio": ratio}


def table(rows):
    width = max((len(row["what"]) for row in rows), default=0)
    print(f"{'':{width}}  {'median':>12}  {'p99':>10}  {'ratio':>7}")
    for row in rows:
        p99 = f"{row['p99']:,.1f}" if row["p99"] is not None else ""
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else ""
        print(f"{row['what']:{width}}  {row['median']:>12,.1f}  {p99:>10}  {ratio:>7}  {row['unit']}")
