"""Series: how many itemsets a clinic that grows month by month can publish again, beside all of its older releases.

    python benchmarks/series.py                         a line for each month
    python benchmarks/series.py docs/images/series.svg  and the chart of docs/against.md
    python benchmarks/series.py linear                  the same against linear programs; takes twenty minutes

Each release is made beside all before, as ``block --beside --grown`` makes it, and attacked together with them; what
is found is counted, and what is left undecided.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from report import line, title

from discreet import Patterns, Release, attack, audit, block
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
WIDTHS: Final = (5, 8, 10, 8, 8, 10, 10, 9)
SHOWN: Final = 200  # the one that the chart shows in full


def publish(more: int, level: Level) -> Iterator[tuple[int, Release, Release, str, int]]:
    """Yield for each month the number of rows, the release made alone, and the one beside all before.

    After it come the verdict on it together with all before, and how much an attacker finds or leaves undecided.
    """
    rows, older = list(clinic(START + (MONTHS - 1) * more, seed=7)), list[Patterns]()
    for month in range(MONTHS):
        known = rows[: START + month * more]
        how: dict[str, Any] = {"min_support": LEAST, "k": K, "method": "withhold"}
        alone = block(known, **how)
        beside = block(known, **how, beside=older, grown=bool(older), against=level, seconds=SECONDS)
        given: dict[str, Any] = {"against": older, "grown": bool(older)}
        found = attack(beside.patterns, k=K, level=level, complete=False, rows=alone.rows, seconds=SECONDS, **given)
        verdict = audit(beside.patterns, k=K, **given).verdict.name
        yield len(known), alone, beside, verdict, len(found.findings) + len(found.undecided)
        older.append(beside.patterns)


def main() -> None:
    """Print the months, and draw them."""
    shares: dict[str, list[tuple[float, float]]] = {}
    counts: dict[str, list[tuple[float, float]]] = {"frequent": [], "safe alone": [], "safe beside all before": []}
    level: Level = "linear" if "linear" in sys.argv else LEVEL
    for more in (SHOWN,) if level == "linear" else MORE:
        title(f"{more} rows more each month, from {START:,} on; minimum support {LEAST}, k = {K}, against {level}")
        print(line(WIDTHS, ("month", "rows", "frequent", "alone", "beside", "together", "findings", "seconds")))
        start = perf_counter()
        for number, (n, alone, beside, verdict, findings) in enumerate(publish(more, level), start=1):
            kept, safe, frequent = len(beside.patterns), len(alone.patterns), alone.distortion.itemsets
            seconds, start = round(perf_counter() - start), perf_counter()
            print(line(WIDTHS, (number, n, frequent, safe, kept, verdict, findings, seconds)), flush=True)
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
