"""The rows of all groups, as a table."""


def number(value, digits):
    return f"{value:,.{digits}f}" if value is not None else ""


def table(rows):
    """Prints each figure, and beside it the peer's, the median of the rounds' ratios, and the lowest and highest ratio."""
    width = max((len(row["what"]) for row in rows), default=0)
    print(f"{'':{width}}  {'figure':>12} {'':14} {'peer':>12}  {'ratio':>6}  {'lowest to highest of N':>22}")
    for row in rows:
        ratio = row.get("ratio")
        spread = f"{row['low']:.2f} to {row['high']:.2f} of {row['rounds']}" if ratio is not None else ""
        line = (f"{row['what']:{width}}  {number(row['figure'], 1):>12} {row['unit']:14} "
                f"{number(row.get('peer'), 1):>12}  {number(ratio, 2):>6}  {spread:>22}")
        print(line.rstrip())
