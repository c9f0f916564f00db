"""Series: how many itemsets a clinic that grows month by month can publish again, beside all of its older releases.

    python benchmarks/series.py                         a line for each month
    python benchmarks/series.py docs/images/series.svg  and the chart of docs/against.md
    python benchmarks/series.py linear                  the same against linear programs; takes half an hour

Each release is made beside all before, as ``block --beside --grown`` makes it, and attacked together with them; what
is found is counted, and what is left undecided.
"""

import sys
from pathlib import Path
from typing import Final

from report import line, title

from discreet import Release, attack, audit, block
from discreet.data.generate import clinic
from discreet.disclosure.attacks.finding import Level
from discreet.report.svg import Panel, lines_svg

MONTHS: Final = 12
START: Final = 2000  # rows in the first month
K: Final = 10
LEVEL: Final[Level] = "derive"  # the attacker that each release withstands, the first one too, unless another is named
SECONDS: Final = 900.0  # for the attacker
LEAST: Final = "5%"
MORE: Final = (100, 200, 400)  # rows that come each month
WIDTHS: Final = (5, 8, 10, 8, 8, 10, 10)
SHOWN: Final = 200  # the one that the chart shows in full


def publish(more: int, level: Level) -> list[tuple[int, Release, Release]]:
    """Return for each month the number of rows, the release made alone, and the one beside all before."""
    rows, months = list(clinic(START + (MONTHS - 1) * more, seed=7)), list[tuple[int, Release, Release]]()
    for month in range(MONTHS):
        known, older = rows[: START + month * more], [beside for _, _, beside in months]
        alone = block(known, min_support=LEAST, k=K, method="withhold")
        beside = block(
            known,
            min_support=LEAST,
            k=K,
            method="withhold",
            beside=older,
            grown=bool(older),
            against=level,
            seconds=SECONDS,
        )
        months.append((len(known), alone, beside))
    return months


def judge(months: list[tuple[int, Release, Release]], level: Level) -> list[tuple[str, int]]:
    """Return for each month after the first the verdict together with all before, and what an attacker finds."""
    patterns = [beside.patterns for _, _, beside in months]
    found = []
    for at in range(1, MONTHS):
        olds = patterns[:at]
        attacked = attack(
            patterns[at],
            k=K,
            level=level,
            against=olds,
            grown=True,
            complete=False,
            rows=months[at][1].rows,
            seconds=SECONDS,
        )
        left = len(attacked.findings) + len(attacked.undecided)
        found.append((audit(patterns[at], k=K, against=olds, grown=True).verdict.name, left))
    return found


def main() -> None:
    """Print the months, and draw them."""
    shares: dict[str, list[tuple[float, float]]] = {}
    counts: dict[str, list[tuple[float, float]]] = {"frequent": [], "safe alone": [], "safe beside all before": []}
    level: Level = "linear" if "linear" in sys.argv else LEVEL
    for more in (SHOWN,) if level == "linear" else MORE:
        months = publish(more, level)
        judged = [("RELEASE", 0), *judge(months, level)]
        title(f"{more} rows more each month, from {START:,} on; minimum support {LEAST}, k = {K}, against {level}")
        print(line(WIDTHS, ("month", "rows", "frequent", "alone", "beside", "together", "findings")))
        for number, ((n, alone, beside), (verdict, findings)) in enumerate(zip(months, judged, strict=True), start=1):
            kept, safe, frequent = len(beside.patterns), len(alone.patterns), alone.distortion.itemsets
            print(line(WIDTHS, (number, n, frequent, safe, kept, verdict, findings)))
            shares.setdefault(f"{more} rows a month", []).append((number, 100 * kept / safe))
            if more == SHOWN:
                for name, count in zip(counts, (frequent, safe, kept), strict=True):
                    counts[name].append((number, count))
    if level == LEVEL and len(sys.argv) > 1:
        panels = [
            Panel(f"{SHOWN} rows a month", "month", "itemsets", counts),
            Panel("by the rows that come", "month", "% of what is safe alone", shares),
        ]
        Path(sys.argv[1]).write_bytes(lines_svg("What a growing clinic can publish each month", panels))


if __name__ == "__main__":
    main()
