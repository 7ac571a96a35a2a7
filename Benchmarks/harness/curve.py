"""Draws the times of round trips by the number of idle pages, both on logarithmic scales, as an SVG."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 360, 64, 150, 24, 48
COLOURS = {"bridged": "#c0392b", "bare echo, libuv": "#2471a3", "bare echo, poll": "#7f8c8d"}


def svg(peers):
    """- peers: for each name its points, with `idle` and `median` in microseconds."""
    counts = sorted({point["idle"] for points in peers.values() for point in points})
    times = [point["median"] for points in peers.values() for point in points]
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))

    def x(count):
        return LEFT + math.log10(max(count, 10) / 10) / math.log10(counts[-1] / 10) * (WIDTH - LEFT - RIGHT)

    def y(time):
        return HEIGHT - BOTTOM - math.log10(time / low) / math.log10(high / low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    time = low
    while time <= high:
        parts.append(f'<path d="M{LEFT} {y(time):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(time) + 4:.1f}" text-anchor="end" fill="#444">{time:,.0f} µs</text>')
        time *= 10
    for count in counts:
        parts.append(f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#444">{count:,}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle" fill="#444">idle pages</text>')
    for name, points in peers.items():
        line = " ".join(f"{x(point['idle']):.1f},{y(point['median']):.1f}" for point in points)
        colour = COLOURS.get(name, "#000")
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(point["idle"]):.1f}" cy="{y(point["median"]):.1f}" r="3" fill="{colour}"/>' for point in points]
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y(points[-1]["median"]) + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])
