"""Comparisons of two sides that take turns, so that a change of the machine's speed affects both."""

import statistics

ROUNDS = 7


def take_turns(sides, rounds=ROUNDS):
    """Runs each side once in each round: A B A B …

    - sides: for each name a function that measures once and returns figures by their names.
    - Returns: for each side its figures of every round.
    """
    found = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            found[name].append(side())
    return found


def figure(what, unit, values):
    """A row: a figure that is compared with nothing, the median of `values`."""
    return {"what": what, "unit": unit, "figure": statistics.median(values), "low": min(values), "high": max(values)}


def comparison(what, unit, key, ours, theirs):
    """A row: both medians, and the median of the rounds' ratios with the lowest and the highest.

    - key: the name of the compared figure.
    - ours, theirs: the figures of every round, as `take_turns` returns them.
    """
    mine, peers = [round[key] for round in ours], [round[key] for round in theirs]
    ratios = [one / other for one, other in zip(mine, peers)]
    return {
        "what": what, "unit": unit, "figure": statistics.median(mine), "peer": statistics.median(peers),
        "ratio": statistics.median(ratios), "low": min(ratios), "high": max(ratios), "rounds": len(ratios)}
