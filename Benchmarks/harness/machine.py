"""How quiet the machine is while the benchmarks run.

The load says what others do that the kernel knows of. A virtual machine's neighbours do not show in it, so a fixed loop is
timed as well. The time of a round trip through pipes tells whether system calls and wakes are cheap: they differ more
between machines than the processor's speed does.
"""

import os
import platform
import statistics
import time


class Quiet:
    """Samples the machine before each group and after the last one."""

    def __init__(self):
        self.load = os.getloadavg()[0]
        self.loops, self.trips = [], []

    def sample(self):
        self.loops += [loop() for _ in range(5)]
        self.trips += round_trips(5)

    def facts(self):
        return {
            "date": time.strftime("%F"), "system": platform.platform(), "cores": os.cpu_count(), "loadBefore": self.load,
            "loop": spread(self.loops, 1e3), "pipe": spread(self.trips, 1e6)}

    def report(self):
        facts = self.facts()
        loop, pipe = facts["loop"], facts["pipe"]
        print(f"{facts['date']}, {facts['cores']} cores, {facts['system']}. Load before: {facts['loadBefore']:.2f}.")
        print(f"A fixed loop took {loop['median']:.1f} ms ({loop['low']:.1f} to {loop['high']:.1f}), "
              f"a round trip through pipes {pipe['median']:.1f} µs ({pipe['low']:.1f} to {pipe['high']:.1f}).")
        slowest = loop["high"] / loop["median"]
        print("The machine was quiet." if slowest < 1.2 and facts["loadBefore"] < 0.5 else
              f"The machine was not quiet: a load before, or a loop {slowest:.1f} times as long as usual. Compare ratios only.")


def loop():
    """The seconds that counting to a million takes."""
    start = time.perf_counter()
    for _ in range(1_000_000):
        pass
    return time.perf_counter() - start


def round_trips(batches, count=2_000):
    """The seconds that a byte takes to another process and back, in the mean of each batch."""
    (incoming, sent), (received, outgoing) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(sent)
        while byte := os.read(incoming, 1):
            os.write(outgoing, byte)
        os._exit(0)
    os.close(incoming)
    os.close(outgoing)
    found = []
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(count):
            os.write(sent, b"x")
            os.read(received, 1)
        found.append((time.perf_counter() - start) / count)
    os.close(sent)
    os.close(received)
    os.waitpid(child, 0)
    return found


def spread(values, factor):
    return {"median": statistics.median(values) * factor, "low": min(values) * factor, "high": max(values) * factor}
